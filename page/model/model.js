// Everything that is computed from one run, once.
import { NONE, isDrain, numberOf, readRun, timelineOf, eventAt } from './run.js';
import { clocksOf } from './clocks.js';
import { Clauses } from './clauses.js';
import { causalWaits, neverNeeded } from './holdback.js';

export function modelOf(block, grounding) {
  const run = readRun(block);
  const line = timelineOf(run);
  const clocks = clocksOf(run, line);
  const order = orderOf(run);
  const rowOf = new Int32Array(run.count);
  order.forEach((i, row) => { rowOf[i] = row; });
  return {
    run,
    line,
    clocks,
    clauses: new Clauses(run, line, clocks, grounding),
    // Without all messages nobody can say who would have waited.
    waits: run.leftOut > 0 ? [] : causalWaits(run, line),
    neverNeeded: run.leftOut > 0 ? [] : neverNeeded(run, line),
    order,
    rowOf,
    repeats: repeatsOf(run, line),
    conflicts: run.violations.map((violation) => conflictOf(run, line, violation)),
    holds: holdsOf(run),
  };
}

/** All operations by number; the drain, which was read at the end, last. */
function orderOf(run) {
  const numbers = new Float64Array(run.count);
  for (let i = 0; i < run.count; ++i) numbers[i] = numberOf(run, i);
  const order = Array.from({ length: run.count }, (_, i) => i);
  order.sort((a, b) =>
    isDrain(run, a) - isDrain(run, b) || numbers[a] - numbers[b] ||
    run.isWrite[b] - run.isWrite[a] || a - b);
  return order;
}

/** Operations that brought nothing new: polls that found nothing, and equal answers again. */
function repeatsOf(run, line) {
  const repeats = new Uint8Array(run.count);
  for (let i = 0; i < run.count; ++i) {
    if (run.isWrite[i] || isDrain(run, i) || run.outcome[i] !== 'o') continue;
    const event = line.eventOf[i];
    if (run.message[i] === NONE) repeats[i] = 1;
    else if (event !== NONE && line.operation[event] !== i) repeats[i] = 1;
  }
  return repeats;
}

/** The operations of a violation, the clauses with their events, and where the page opens. */
function conflictOf(run, line, violation) {
  const operations = new Set(violation.operations);
  const edges = violation.clauses.map((clause, i) => {
    const before = eventAt(line, clause.before);
    const after = eventAt(line, clause.after);
    for (const event of [before, after]) {
      if (event !== NONE) operations.add(line.operation[event]);
    }
    operations.add(clause.learnedFrom);
    return {
      ...clause,
      index: i + 1,
      isBroken: clause === violation.broken,
      beforeEvent: before,
      afterEvent: after,
      learnedAt: line.eventOf[clause.learnedFrom],
    };
  });
  const last = violation.broken
    ? violation.broken.learnedFrom
    : [...operations].reduce((a, b) => (numberOf(run, b) >= numberOf(run, a) ? b : a));
  return { violation, operations, edges, opensAt: last };
}

/** The lines that say what the backend held back, as windows of positions. */
function holdsOf(run) {
  const holds = [];
  const open = new Map();
  for (const text of run.other) {
    let entry;
    try {
      entry = JSON.parse(text);
    } catch {
      continue; // kept for people; it need not be ours
    }
    if (entry === null || typeof entry !== 'object') continue;
    if (typeof entry.held === 'string') {
      const hold = {
        message: entry.held, at: String(entry.at ?? ''), blockedBy: entry.blocked_by ?? null,
        start: Number(entry.start) || 0, end: Infinity,
      };
      holds.push(hold);
      open.set(JSON.stringify([hold.message, hold.at]), hold);
    } else if (typeof entry.released === 'string') {
      const hold = open.get(JSON.stringify([entry.released, String(entry.at ?? '')]));
      if (hold) hold.end = Number(entry.start) || hold.start;
    }
  }
  return holds;
}
