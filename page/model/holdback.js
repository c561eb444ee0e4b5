// What a causal receiver in each reader's place would have waited for: the rule of Birman, Schiper
// and Stephenson over the observed arrivals, as checker/holdback.cc replays it. Clocks count a
// client's acknowledged publishes here, not its steps.
import { NONE } from './run.js';

/** The waits, in the order of the events that brought the messages. */
export function causalWaits(run, line) {
  const stamped = stampAll(run, line);
  const waits = [];
  for (let reader = 0; reader < run.clients.length; ++reader) {
    receiveAs(run, line, stamped, reader, waits);
  }
  waits.sort((a, b) => a.observedAt - b.observedAt);
  return waits;
}

/** Gives each message its number and its clock, and notes who is handed what for the first time. */
function stampAll(run, line) {
  const clients = run.clients.length;
  const messages = run.messages.length;
  const stamps = new Int32Array(messages * clients);
  const numbers = new Int32Array(messages);
  const sender = new Int32Array(messages).fill(NONE);
  const broadcasts = run.clients.map(() => []);
  const arrivals = run.clients.map(() => []);
  const clocks = new Int32Array(clients * clients);
  const seen = run.clients.map(() => new Uint8Array(messages));
  for (let e = 0; e < line.count; ++e) {
    const c = line.client[e];
    const m = line.message[e];
    if (line.isPublish[e]) {
      sender[m] = c;
      if (line.facts.ok[m]) {
        numbers[m] = ++clocks[c * clients + c];
        broadcasts[c].push(m);
      }
      for (let k = 0; k < clients; ++k) stamps[m * clients + k] = clocks[c * clients + k];
    } else if (!seen[c][m]) {
      seen[c][m] = 1;
      for (let k = 0; k < clients; ++k) {
        clocks[c * clients + k] = Math.max(clocks[c * clients + k], stamps[m * clients + k]);
      }
      arrivals[c].push(e);
    }
  }
  return { clients, stamps, numbers, sender, broadcasts, arrivals };
}

/** The broadcasts of each client that this reader counts: of latest reads those it ever saw. */
function sequencesOf(run, line, stamped, reader) {
  if (run.declared.reads === 'feed') {
    return stamped.broadcasts.map((all) => all.map((_, i) => i + 1));
  }
  const sequences = run.clients.map(() => []);
  for (const e of stamped.arrivals[reader]) {
    const m = line.message[e];
    if (stamped.numbers[m] > 0) sequences[stamped.sender[m]].push(stamped.numbers[m]);
  }
  for (const sequence of sequences) sequence.sort((a, b) => a - b);
  return sequences;
}

/** How many of the ascending numbers are no larger than `number`. */
function rank(numbers, number) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstMissing(item, delivered) {
  const { sender, number, clock } = item;
  if (number > delivered[sender] + 1) {
    return { process: sender, needs: number - 1, has: delivered[sender] };
  }
  for (let p = 0; p < clock.length; ++p) {
    if (clock[p] <= delivered[p] || (p === sender && number > 0)) continue;
    return { process: p, needs: clock[p], has: delivered[p] };
  }
  return null;
}

function receiveAs(run, line, stamped, reader, waits) {
  const { clients, stamps, numbers, sender, broadcasts } = stamped;
  const sequences = sequencesOf(run, line, stamped, reader);
  const delivered = new Int32Array(clients);
  const waiters = run.clients.map(() => new Map()); // by process: by need, the items
  const hold = (item, missing) => {
    const of = waiters[missing.process];
    if (!of.has(missing.needs)) of.set(missing.needs, []);
    of.get(missing.needs).push(item);
  };
  const deliver = (item, event) => {
    const ready = [item];
    while (ready.length > 0) {
      const next = ready.shift();
      if (next.wait) {
        next.wait.releasedAt = line.number[event];
        next.wait.releasedEvent = event;
        next.wait.releasedBy = line.message[event];
      }
      const p = next.sender;
      while (delivered[p] < next.number) {
        ++delivered[p];
        const released = waiters[p].get(delivered[p]) ?? [];
        waiters[p].delete(delivered[p]);
        for (const waiting of released) {
          const missing = firstMissing(waiting, delivered);
          if (missing) hold(waiting, missing);
          else ready.push(waiting);
        }
      }
    }
  };
  for (const event of stamped.arrivals[reader]) {
    const m = line.message[event];
    const from = sender[m];
    if (from === reader || from === NONE) continue;
    const clock = new Int32Array(clients);
    for (let c = 0; c < clients; ++c) {
      clock[c] = c === reader ? 0 : rank(sequences[c], stamps[m * clients + c]);
    }
    const item = { message: m, sender: from, number: numbers[m] > 0 ? clock[from] : 0, clock, wait: null };
    const missing = firstMissing(item, delivered);
    if (!missing) {
      deliver(item, event);
      continue;
    }
    const back = (count) => (count === 0 ? 0 : sequences[missing.process][count - 1]);
    const needs = back(missing.needs);
    item.wait = {
      message: m,
      reader,
      observed: line.operation[event],
      event,
      observedAt: line.number[event],
      missing: broadcasts[missing.process][needs - 1],
      process: missing.process,
      needs,
      has: back(missing.has),
      releasedAt: Infinity,
      releasedEvent: NONE,
      releasedBy: NONE,
    };
    waits.push(item.wait);
    hold(item, missing);
  }
}

/**
 * Messages that a strict receiver would have held and that were overwritten before their reader
 * looked: with latest reads that is legal. By reader: what was skipped, [skipped message, observed
 * event].
 */
export function neverNeeded(run, line) {
  if (run.declared.reads === 'feed') return [];
  const stamped = stampAll(run, line);
  const found = [];
  for (let reader = 0; reader < run.clients.length; ++reader) {
    const sequences = sequencesOf(run, line, stamped, reader);
    const known = new Int32Array(run.clients.length); // told so far, or passed over
    for (const event of stamped.arrivals[reader]) {
      const m = line.message[event];
      for (let c = 0; c < run.clients.length; ++c) {
        if (c === reader) continue;
        const upTo = stamped.stamps[m * stamped.clients + c];
        for (let n = known[c] + 1; n <= upTo; ++n) {
          const ever = sequences[c][rank(sequences[c], n) - 1] === n;
          const skipped = stamped.broadcasts[c][n - 1];
          if (!ever && skipped !== m) found.push({ reader, message: skipped, event });
        }
        known[c] = Math.max(known[c], upTo);
      }
    }
  }
  return found;
}
