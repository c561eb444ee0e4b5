// Names and sentences. A name comes from a file or a backend: it is shown as it is, never obeyed.
import { NONE, isDrain } from './run.js';

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const NAME_MAX = 40;

/** Characters that have no width, or turn the direction of writing, written out: "<U+202E>". */
export function visible(text) {
  return text.replace(HIDDEN, (c) =>
    `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** A name of a table as a row can hold it: visible, and cut when it is long. */
export function shortName(names, index) {
  const name = visible(names[index]);
  if (name.length <= NAME_MAX) return name;
  return `${Array.from(name).slice(0, NAME_MAX).join('')}...(${index + 1})`;
}

export const clientName = (run, c) => (c === NONE ? 'the drain' : shortName(run.clients, c));
export const topicName = (run, t) => shortName(run.topics, t);
export const messageName = (run, m) => (m === NONE ? 'nothing' : shortName(run.messages, m));

/** "C2"; with a dot where the label does not end in a letter: "A~2.1". */
export function symbolText(label, step) {
  return /[A-Za-z]$/.test(label) ? `${label}${step}` : `${label}.${step}`;
}

export const eventSymbol = (run, line, e) =>
  symbolText(clientName(run, line.client[e]), line.step[e]);
export const clauseSymbol = (run, symbol) => symbolText(clientName(run, symbol.client), symbol.step);

export function clauseText(run, clause) {
  return `${clauseSymbol(run, clause.before)} < ${clauseSymbol(run, clause.after)}`;
}

export const clauseLabel = (run, clause) => `P${clause.why} ${clauseText(run, clause)}`;

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** What an operation did, in a few words; without its client. */
export function deed(run, i) {
  const message = messageName(run, run.message[i]);
  const drain = isDrain(run, i);
  if (run.isLive && run.end[i] === Infinity) return run.isWrite[i] ? `publishes ${message} \u2026` : 'reads \u2026';
  if (run.isWrite[i] && !drain) {
    const what = run.isDelete[i] ? `deletes: ${message}` : `publishes ${message}`;
    if (run.outcome[i] === 'f') return `${what} (failed)`;
    return run.outcome[i] === 'i' ? `${what} (outcome unknown)` : what;
  }
  if (run.undecodable[i]) return 'gets an answer that cannot be decoded';
  if (run.outcome[i] === 'f') return 'is refused a read';
  if (run.outcome[i] === 'i') return 'gets no answer';
  return drain ? `holds ${message}` : `observes ${message}`;
}
