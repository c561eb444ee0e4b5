// A history in the pocket language of docs/semantics.md, as checker/shorthand_writer.cc writes it: what
// `history_of("...")` in a test reads back.
import { NONE, isDrain, numberOf } from './run.js';
import { symbolText } from './words.js';

/**
 * The operations in shorthand, on one line. `chosen` is a list of operations; publishes that they
 * observe belong in it, or the observation names the message by its id.
 */
export function shorthandOf(run, chosen) {
  const operations = [...new Set(chosen)];
  const names = nameMessages(run, operations);
  const marks = [];
  for (const i of operations) {
    marks.push({ at: run.start[i], isEnd: 0, operation: i });
    if (run.end[i] !== Infinity) marks.push({ at: run.end[i], isEnd: 1, operation: i });
  }
  marks.sort((a, b) => a.at - b.at || a.isEnd - b.isEnd || a.operation - b.operation);
  const open = [];
  const words = [];
  for (let k = 0; k < marks.length; ++k) {
    const { operation, isEnd } = marks[k];
    if (isEnd) {
      words.push(completion(run, operation, open));
    } else if (k + 1 < marks.length && marks[k + 1].operation === operation) {
      words.push(called(run, operation, names));
      ++k;
    } else {
      words.push(`${called(run, operation, names)}(`);
      open.push(operation);
    }
  }
  return words.join(' ');
}

/** A message goes by the symbol of its first publish among the chosen, whatever its id is. */
function nameMessages(run, operations) {
  const names = new Map();
  const firsts = new Set();
  const topics = new Map();
  const steps = new Int32Array(run.clients.length);
  const last = new Map(); // per client the answer that is its latest event
  const failed = new Set();
  const latest = run.declared.reads === 'latest';
  const order = [...operations].sort((a, b) =>
    numberOf(run, a) - numberOf(run, b) || run.isWrite[b] - run.isWrite[a] || a - b);
  for (const i of order) {
    const c = run.client[i];
    const m = run.message[i];
    if (c === NONE || m === NONE) continue;
    if (run.isWrite[i]) {
      last.delete(c);
      const symbol = symbolText(run.clients[c], ++steps[c]);
      if (!names.has(m)) {
        names.set(m, symbol);
        firsts.add(i);
        topics.set(m, run.topic[i]);
      }
      if (run.outcome[i] === 'f') failed.add(m);
      else failed.delete(m);
    } else if (run.outcome[i] === 'o' && !failed.has(m)) {
      const before = last.get(c);
      const repeats = latest && before !== undefined && run.topic[before] === run.topic[i] &&
        run.message[before] === m && run.slot[before] === run.slot[i];
      if (!repeats) {
        ++steps[c];
        last.set(c, i);
      }
    }
  }
  return { names, firsts, topics };
}

function called(run, i, { names, firsts, topics }) {
  const m = run.message[i];
  let text = '';
  const topic = run.topics[run.topic[i]];
  const elsewhere = topics.has(m) && topics.get(m) !== run.topic[i];
  if (topic !== 't' || elsewhere) text += `${topic}:`;
  text += isDrain(run, i) ? '_' : run.clients[run.client[i]];
  text += run.isWrite[i] ? '!' : '<';
  if (m === NONE) text += run.isWrite[i] ? '' : '-';
  else {
    const name = names.get(m) ?? `#${run.messages[m]}#`;
    if (!run.isWrite[i]) text += name;
    else if (!firsts.has(i)) text += `#${name}#`;
  }
  if (run.slot[i] !== NONE) text += `@${run.slot[i]}`;
  if (run.session && run.session[i] !== 1) text += `/${run.session[i]}`;
  if (run.isDelete[i]) text += 'd';
  if (run.foreign[i]) text += '*';
  if (run.undecodable[i]) text += '%';
  else if (run.outcome[i] === 'f') text += 'x';
  else if (run.outcome[i] === 'i' && run.end[i] !== Infinity) text += '?';
  return text;
}

function completion(run, i, open) {
  let which = 1;
  for (const other of open) {
    if (other === i) break;
    if (run.client[other] === run.client[i]) ++which;
  }
  open.splice(open.indexOf(i), 1);
  return `${isDrain(run, i) ? '_' : run.clients[run.client[i]]})${which === 1 ? '' : which}`;
}
