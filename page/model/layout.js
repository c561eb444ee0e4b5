// Which lanes and rows are shown, and in words what is not. Pure functions of a model and a view's
// settings.
import { NONE, isDrain, numberOf } from './run.js';
import { PAST } from './clocks.js';
import { clientName, deed, eventSymbol, messageName, plural, topicName } from './words.js';

const LOGS_OPEN_MAX = 3; // topics with a column of their own where no conflict chooses
const FOLD_MIN = 4;

/** What a view shows when nothing was asked for. */
export function defaultSettings() {
  return {
    client: '', topic: '', kind: '', outcome: '', principle: '', where: '', text: '',
    hiddenLanes: [], folded: false, unfolded: [], byPosition: false, repeats: false, allLogs: false,
  };
}

/**
 * The lanes from left to right: the conflict's clients, its logs, then the other clients by their
 * number of events. Topics that are not in the conflict share one column unless all are asked for.
 */
export function lanesOf(model, conflict, settings) {
  const { run, line } = model;
  const inConflict = new Set();
  const topics = new Set();
  if (conflict) {
    for (const i of conflict.operations) {
      if (!isDrain(run, i)) inConflict.add(run.client[i]);
      topics.add(run.topic[i]);
    }
  }
  const all = run.topics.map((_, t) => t);
  const open = settings.allLogs || (topics.size === 0 && all.length <= LOGS_OPEN_MAX)
    ? all
    : topics.size > 0 ? all.filter((t) => topics.has(t)) : all.slice(0, LOGS_OPEN_MAX);
  const folded = all.filter((t) => !open.includes(t));
  const clients = run.clients.map((_, c) => c);
  const first = clients.filter((c) => inConflict.has(c));
  const rest = clients.filter((c) => !inConflict.has(c))
    .sort((a, b) => line.byClient[b].length - line.byClient[a].length || a - b);
  const hidden = new Set(settings.hiddenLanes);
  const lanes = [];
  const add = (lane) => { if (!hidden.has(lane.key)) lanes.push(lane); };
  const addClient = (c) => add({ key: `c${c}`, label: clientName(run, c), client: c, topic: NONE });
  // Without a conflict every client comes before the logs.
  (first.length > 0 ? first : rest).forEach(addClient);
  for (const t of open) {
    const label = run.topics.length === 1 ? 'log' : `log ${topicName(run, t)}`;
    add({ key: `t${t}`, label, client: NONE, topic: t });
  }
  if (folded.length > 0) {
    add({
      key: 'other', label: plural(folded.length, 'other log'), client: NONE, topic: NONE,
      topics: new Set(folded),
    });
  }
  if (first.length > 0) rest.forEach(addClient);
  lanes.forEach((lane, i) => { lane.index = i; });
  const ofClient = new Map();
  const ofTopic = new Map();
  for (const lane of lanes) {
    if (lane.client !== NONE) ofClient.set(lane.client, lane.index);
    else if (lane.topic !== NONE) ofTopic.set(lane.topic, lane.index);
    else for (const t of lane.topics) ofTopic.set(t, lane.index);
  }
  return { lanes, ofClient, ofTopic };
}

const KINDS = {
  publish: (run, i) => run.isWrite[i] === 1,
  observe: (run, i) => !run.isWrite[i] && !isDrain(run, i) && run.message[i] !== NONE,
  nothing: (run, i) => !run.isWrite[i] && !isDrain(run, i) && run.message[i] === NONE,
  drain: (run, i) => isDrain(run, i),
};

/** The tests that an operation has to pass, each with its words. */
function testsOf(model, conflict, selection, settings) {
  const { run, line, clocks } = model;
  const tests = [];
  const add = (words, test) => tests.push({ words, test });
  if (settings.client !== '') {
    const c = Number(settings.client);
    add(`by ${clientName(run, c)}`, (i) => run.client[i] === c);
  }
  if (settings.topic !== '') {
    const t = Number(settings.topic);
    add(`on ${topicName(run, t)}`, (i) => run.topic[i] === t);
  }
  if (KINDS[settings.kind]) {
    const words = {
      publish: 'publishes', observe: 'observations', nothing: 'reads that brought no message',
      drain: 'lines of the drain',
    };
    add(`only ${words[settings.kind]}`, (i) => KINDS[settings.kind](run, i));
  }
  if (settings.outcome !== '') {
    const words = { o: 'acknowledged', f: 'failed', i: 'of unknown outcome' };
    add(`only ${words[settings.outcome]}`, (i) => run.outcome[i] === settings.outcome);
  }
  if (settings.principle !== '') {
    const why = Number(settings.principle);
    add(`that add a P${why} clause`, (i) => {
      const event = line.eventOf[i];
      return event !== NONE && model.clauses.of(event).some((clause) => clause.why === why);
    });
  }
  if (settings.where === 'cycle' && conflict) {
    add('in the conflict', (i) => conflict.operations.has(i));
  }
  if (settings.where === 'past' && selection && selection.event !== NONE) {
    add(`in the past of ${eventSymbol(run, line, selection.event)}`, (i) => {
      const event = line.eventOf[i];
      return event !== NONE && (event === selection.event || selection.cone.of[event] === PAST);
    });
  }
  if (settings.text.trim() !== '') {
    const wanted = settings.text.trim().toLowerCase();
    add(`with "${settings.text.trim()}"`, (i) => textOf(model, i).toLowerCase().includes(wanted));
  }
  if (clocks && settings.hiddenLanes.length > 0) {
    const clients = new Set(settings.hiddenLanes.filter((k) => k[0] === 'c').map((k) => Number(k.slice(1))));
    if (clients.size > 0) {
      const names = [...clients].map((c) => clientName(run, c)).join(', ');
      add(`not of the hidden lanes ${names}`, (i) => !clients.has(run.client[i]));
    }
  }
  return tests;
}

/** An operation as a line of text, for the text filter and for assistive technology. */
export function textOf(model, i) {
  const { run, line } = model;
  const event = line.eventOf[i];
  const symbol = event !== NONE && line.operation[event] === i ? `${eventSymbol(run, line, event)} ` : '';
  const slot = run.slot[i] === NONE ? '' : ` at slot ${run.slot[i]}`;
  return `${symbol}${clientName(run, run.client[i])} ${deed(run, i)} on ${topicName(run, run.topic[i])}${slot}`;
}

/**
 * The rows of a view, and what they leave out. A row is {operation, event}; or, folded, {operation,
 * folded, members, from, to}: operations in no edge that is in view.
 */
export function rowsOf(model, conflict, selection, settings) {
  const { run, line } = model;
  const tests = testsOf(model, conflict, selection, settings);
  const shown = [];
  let quiet = 0;
  let hidden = 0;
  for (const i of model.order) {
    const keep = conflict?.operations.has(i) ?? false;
    if (model.repeats[i] && !settings.repeats && !keep && settings.kind !== 'nothing') {
      ++quiet;
      continue;
    }
    if (tests.every(({ test }) => test(i))) shown.push(i);
    else ++hidden;
  }
  const unfolded = new Set(settings.unfolded);
  const rows = [];
  const push = (i) => {
    const event = line.eventOf[i];
    rows.push({ operation: i, event: event !== NONE && line.operation[event] === i ? event : NONE });
  };
  if (!settings.folded) {
    shown.forEach(push);
  } else {
    let begin = 0;
    while (begin < shown.length) {
      let end = begin;
      while (end < shown.length && !inView(model, conflict, selection, shown[end])) ++end;
      if (end - begin >= FOLD_MIN && !unfolded.has(shown[begin])) {
        rows.push({
          operation: shown[begin], event: NONE, folded: end - begin, members: shown.slice(begin, end),
          from: numberOf(run, shown[begin]), to: numberOf(run, shown[end - 1]),
        });
      } else {
        for (let k = begin; k < end; ++k) push(shown[k]);
      }
      if (end < shown.length) push(shown[end]);
      begin = end + 1;
    }
  }
  return { rows, shown: shown.length, hidden, quiet, words: hiddenWords(run, tests, shown.length, hidden, quiet) };
}

/** Whether an operation has an edge that is drawn now: of the conflict, or at the selection. */
function inView(model, conflict, selection, i) {
  if (conflict?.operations.has(i)) return true;
  if (!selection || selection.operation === NONE) return false;
  if (i === selection.operation) return true;
  const { run, line } = model;
  const event = line.eventOf[i];
  const m = run.message[selection.operation];
  if (m !== NONE && run.message[i] === m) return true;
  return event !== NONE && selection.event !== NONE &&
    (line.previous[event] === selection.event || line.previous[selection.event] === event);
}

function hiddenWords(run, tests, shown, hidden, quiet) {
  const parts = [];
  if (tests.length > 0) {
    parts.push(`Showing ${plural(shown, 'operation')} ${tests.map(({ words }) => words).join(', ')}; ` +
      `${hidden.toLocaleString('en')} hidden.`);
  } else {
    parts.push(`Showing ${plural(shown, 'operation')}.`);
  }
  if (quiet > 0) parts.push(`${plural(quiet, 'read')} that brought nothing new ${quiet === 1 ? 'is' : 'are'} left out.`);
  if (run.leftOut > 0) {
    parts.push(`${plural(run.leftOut, 'operation')} of this run are not in this file.`);
  }
  return parts.join(' ');
}

/** The row's sentence for a screen reader: "Event 5 of 5, A observes B1. Breaks P3: C2 before B1." */
export function announcement(model, conflict, row, index, count) {
  if (row.folded) return `${plural(row.folded, 'operation')} folded, ${row.from} to ${row.to}`;
  const { run } = model;
  const i = row.operation;
  let text = `Row ${index + 1} of ${count}, number ${numberOf(run, i)}, ` +
    `${clientName(run, run.client[i])} ${deed(run, i)}.`;
  for (const edge of conflict?.edges ?? []) {
    if (edge.learnedFrom !== i) continue;
    const before = eventSymbolOf(model, edge.before);
    const after = eventSymbolOf(model, edge.after);
    text += edge.isBroken ? ` Breaks P${edge.why}: ${before} before ${after}.`
      : ` Teaches clause ${edge.index} of the conflict: ${before} before ${after}.`;
  }
  return text;
}

function eventSymbolOf(model, symbol) {
  const label = clientName(model.run, symbol.client);
  return /[A-Za-z]$/.test(label) ? `${label}${symbol.step}` : `${label}.${symbol.step}`;
}

/** The three endings of a wait, in words. */
export function waitWords(model, wait) {
  const { run } = model;
  const reader = clientName(run, wait.reader);
  const begin = `${messageName(run, wait.message)} would wait at ${reader} for ` +
    `${messageName(run, wait.missing)}: needs ${clientName(run, wait.process)} ${wait.needs}, has ${wait.has}`;
  if (wait.releasedEvent === NONE) return `${begin}; still waiting at the end of the run`;
  const held = heldEvents(model, wait);
  return `${begin}; released by ${eventSymbol(run, model.line, wait.releasedEvent)} ` +
    `(${plural(held, 'event')} later)`;
}

/** How many of the reader's own events later a wait ended. */
export function heldEvents(model, wait) {
  const end = wait.releasedEvent === NONE ? Infinity : model.line.step[wait.releasedEvent];
  const last = model.line.byClient[wait.reader].length;
  return (end === Infinity ? last + 1 : end) - model.line.step[wait.event];
}
