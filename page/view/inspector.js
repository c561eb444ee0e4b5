// The panel beside the rows: what the event with the focus (or under the pointer) is, its clocks, and
// how it stands to the selection.
import { NONE, isDrain, numberOf } from '../model/run.js';
import { CONCURRENT, FUTURE, PAST, clockOf, relation, seenAt } from '../model/clocks.js';
import { clauseLabel, clientName, deed, eventSymbol, messageName, plural, topicName } from '../model/words.js';
import { waitWords } from '../model/layout.js';
import { h } from './dom.js';

const CLAUSES_MAX = 60;

export function inspect(app, row) {
  const { model } = app;
  const { run, line } = model;
  if (!row || row.folded) {
    return [h('p', { class: 'soft' }, 'Move to an event to see its clocks; press ? for the keys.')];
  }
  const i = row.operation;
  const parts = [];
  const title = row.event === NONE ? clientName(run, run.client[i]) : eventSymbol(run, line, row.event);
  parts.push(h('h3', null, `${title}: ${clientName(run, run.client[i])} ${deed(run, i)}`));
  parts.push(h('div', null, facts(run, i)));
  if (row.event !== NONE) {
    clocks(app, row.event, parts);
    relations(app, row.event, parts);
    clauses(app, row.event, parts);
  }
  const waits = app.waitsAt(i);
  if (waits.length > 0) {
    parts.push(h('h4', null, 'Hold-back'));
    for (const wait of waits) parts.push(h('p', null, `${waitWords(model, wait)}.`));
  }
  parts.push(h('h4', null, 'As recorded'), h('pre', null, app.rawLine(i)));
  return parts;
}

/** What counts are counts of, where the page holds a part of the run. */
const ofThisFile = (run) => (run.leftOut > 0 ? ', of the events in this file' : '');

function facts(run, i) {
  const words = [`number ${numberOf(run, i)}`, `topic ${topicName(run, run.topic[i])}`];
  if (run.slot[i] !== NONE) words.push(`slot ${run.slot[i]}`);
  words.push({ o: 'ok', f: 'failed', i: 'outcome unknown' }[run.outcome[i]]);
  words.push(run.end[i] === Infinity ? `called at ${run.start[i]}, never returned`
    : `called at ${run.start[i]}, returned at ${run.end[i]}`);
  if (run.session && run.session[i] !== 1) words.push(`session ${run.session[i]}`);
  if (run.node && run.node[i] > 0) words.push(`node ${run.nodes[run.node[i] - 1]}`);
  if (isDrain(run, i)) words.push('read at the end');
  return words.join(', ');
}

function clocks(app, event, parts) {
  const { run, line, clocks: all } = app.model;
  const own = line.client[event];
  const clock = clockOf(all, event);
  const before = line.previous[event] === NONE ? null : clockOf(all, line.previous[event]);
  const entries = clock.map((step, c) => h('span', {
    class: `${c === own ? 'own' : ''}${before === null ? (step > 0 ? ' changed' : '') : step !== before[c] ? ' changed' : ''}`,
    title: c === own ? 'its own entry' : null,
  }, `${clientName(run, c)} ${step}`));
  parts.push(h('h4', null, 'Clock: happened before, or is it'), h('div', { class: 'clock', id: 'clock' }, ...entries),
    h('div', { class: 'soft' }, 'Bold: its own entry. Underlined: changed since the event before on this lane. 0: nothing.'));
  const lone = all.lone[event];
  if (lone) {
    parts.push(h('div', null, `and of unknown outcome: ${lone.map((e) => eventSymbol(run, line, e)).join(', ')}`));
  }
  const seen = seenAt(run, line, event).map((m, c) => h('span', { class: c === own ? 'own' : null },
    `${clientName(run, c)}: ${m === NONE ? '\u2013' : messageName(run, m)}`));
  parts.push(h('h4', null, 'Seen: the last message of each'), h('div', { class: 'clock', id: 'seen' }, ...seen));
}

function relations(app, event, parts) {
  const { run, line, clocks: all } = app.model;
  const { selection } = app;
  if (!selection || selection.event === NONE) return;
  const name = eventSymbol(run, line, selection.event);
  if (selection.event === event) {
    const { past, future, concurrent } = selection.cone.counts;
    parts.push(h('h4', null, 'Selected'), h('div', { class: 'counts', id: 'cone' },
      `\u2191 past ${past}, \u2193 future ${future}, \u2225 concurrent ${concurrent}${ofThisFile(run)}`));
    return;
  }
  const words = {
    [PAST]: `happens before ${name}`, [FUTURE]: `happens after ${name}`, [CONCURRENT]: `concurrent with ${name}`,
  };
  const { past, future, concurrent } = selection.cone.counts;
  parts.push(h('h4', null, `Beside the selected ${name}`),
    h('div', { id: 'relation' }, words[relation(line, all, selection.event, event)]),
    h('div', { class: 'soft counts', id: 'cone' }, `${name}: \u2191 past ${past}, \u2193 future ${future}, \u2225 concurrent ${concurrent}${ofThisFile(run)}`));
}

function clauses(app, event, parts) {
  const { run } = app.model;
  const all = app.model.clauses.of(event);
  const soFar = app.model.clauses.soFar(event);
  parts.push(h('h4', null, `Clauses it adds: ${all.length.toLocaleString('en')}` +
    `${soFar === null ? '' : `; ${soFar.toLocaleString('en')} so far`}${ofThisFile(run)}`));
  const list = h('ul');
  // What is false comes first: it must not be lost in a long list.
  const ranked = [...all].sort((a, b) => app.model.clauses.holds(a) - app.model.clauses.holds(b));
  ranked.slice(0, CLAUSES_MAX).forEach((clause) => {
    const holds = app.model.clauses.holds(clause);
    list.append(h('li', null, h('span', { class: `clause${holds ? '' : ' false'}` },
      `${clauseLabel(run, clause)}${holds ? '' : ' \u2717 FALSE'}`), ` ${clause.beforeNumber} < ${clause.afterNumber}`));
  });
  if (all.length > CLAUSES_MAX) list.append(h('li', null, plural(all.length - CLAUSES_MAX, 'more clause')));
  parts.push(list);
}
