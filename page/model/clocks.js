// Vector clocks of a run's events, by P1 and P2, as checker/clocks/history_clocks.cc makes them.
import { NONE } from './run.js';

/**
 * Entry c of an event's clock is the largest step of client c that happens before it or is it. It
 * counts only events from which P1 leads on; publishes off the chains, whose outcome is unknown, are
 * kept beside the clock one by one, in `lone`.
 */
export function clocksOf(run, line) {
  const clients = run.clients.length;
  const steps = new Int32Array(line.count * clients);
  const lone = new Array(line.count).fill(null); // ascending events, or null
  const chain = new Int32Array(clients).fill(NONE);
  const learn = (event, from) => {
    if (from === NONE) return;
    for (let c = 0; c < clients; ++c) {
      const known = steps[from * clients + c];
      if (known > steps[event * clients + c]) steps[event * clients + c] = known;
    }
    if (lone[from]) lone[event] = union(lone[event], lone[from]);
  };
  for (let e = 0; e < line.count; ++e) {
    const own = line.client[e];
    learn(e, chain[own]);
    if (!line.isPublish[e]) learn(e, line.publishOf[line.message[e]]);
    if (run.clocksGiven) { // a run of which a part was left out: the checker knew all of it
      const given = run.clocksGiven[line.operation[e]];
      if (given) given.forEach((step, c) => { steps[e * clients + c] = step; });
    }
    if (line.leadsOn[e]) {
      steps[e * clients + own] = line.step[e];
      chain[own] = e;
    } else {
      lone[e] = union(lone[e], [e]);
    }
  }
  return { clients, steps, lone };
}

function union(a, b) {
  if (!a) return b;
  const both = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (j === b.length || (i < a.length && a[i] < b[j])) both.push(a[i++]);
    else if (i === a.length || b[j] < a[i]) both.push(b[j++]);
    else { both.push(a[i++]); ++j; }
  }
  return both;
}

function contains(sorted, value) {
  if (!sorted) return false;
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] === value) return true;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Whether event a happens before event b. */
export function happensBefore(line, clocks, a, b) {
  if (a === b) return false;
  if (line.leadsOn[a]) return clocks.steps[b * clocks.clients + line.client[a]] >= line.step[a];
  return contains(clocks.lone[b], a);
}

export const PAST = 1;
export const FUTURE = 2;
export const CONCURRENT = 3;
export const SELF = 4;

/** How event `other` stands to `event`: PAST, FUTURE, CONCURRENT or SELF. */
export function relation(line, clocks, event, other) {
  if (event === other) return SELF;
  if (happensBefore(line, clocks, other, event)) return PAST;
  return happensBefore(line, clocks, event, other) ? FUTURE : CONCURRENT;
}

/** The relation of every event to `event`, and how many there are of each. */
export function coneOf(line, clocks, event) {
  const of = new Uint8Array(line.count);
  const counts = { past: 0, future: 0, concurrent: 0 };
  for (let e = 0; e < line.count; ++e) {
    of[e] = relation(line, clocks, event, e);
    if (of[e] === PAST) ++counts.past;
    else if (of[e] === FUTURE) ++counts.future;
    else if (of[e] === CONCURRENT) ++counts.concurrent;
  }
  return { event, of, counts };
}

/** The clock of an event: an entry for each client. */
export function clockOf(clocks, event) {
  return Array.from(clocks.steps.subarray(event * clocks.clients, (event + 1) * clocks.clients));
}

/** For each client the last message of it that `client` had observed (or published) up to `event`. */
export function seenAt(run, line, event) {
  const seen = new Int32Array(run.clients.length).fill(NONE);
  const own = line.client[event];
  for (const e of line.byClient[own]) {
    if (e > event) break;
    const m = line.message[e];
    const send = line.publishOf[m];
    if (line.isPublish[e]) seen[own] = m;
    else if (send !== NONE) {
      const from = line.client[send];
      const before = seen[from] === NONE ? NONE : line.publishOf[seen[from]];
      if (before === NONE || line.step[before] < line.step[send]) seen[from] = m;
    }
  }
  return Array.from(seen);
}
