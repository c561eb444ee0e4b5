// A recorded run as the page holds it, and its events. The rules are those of checker/timeline.cc; a
// test holds both to the same answers.

export const NONE = -1;

/** Reads one run of the data block (docs/report.md). */
export function readRun(block) {
  const columns = block.columns;
  const count = columns.client.length;
  const run = {
    name: block.name,
    verdict: block.verdict,
    why: block.why,
    declared: block.declared,
    clients: block.clients,
    topics: block.topics,
    messages: block.messages,
    nodes: block.nodes,
    count,
    client: columns.client,
    topic: columns.topic,
    message: columns.message,
    slot: columns.slot,
    start: columns.start,
    end: new Float64Array(count),
    isWrite: new Uint8Array(count),
    outcome: columns.outcome, // a letter each: ok, fail, info
    session: columns.session ?? null,
    node: columns.node ?? null,
    isDelete: flags(columns.deletes, count),
    undecodable: flags(columns.undecodable, count),
    foreign: flags(columns.foreign, count),
    conflicted: new Set(block.conflicted),
    faults: block.faults.map(([kind, target, start, end]) => ({
      kind, target, start, end: end ?? Infinity,
    })),
    leaves: block.leaves.map(([client, at]) => ({ client, at })),
    other: block.other,
    violations: block.violations.map(readViolation),
    leftOut: block.left_out ?? 0,
    isLive: block.live === true, // it goes on: what has not returned yet may still
    stepsGiven: columns.step ?? null,
    clocksGiven: columns.clock ?? null,
  };
  for (let i = 0; i < count; ++i) {
    run.end[i] = columns.span[i] < 0 ? Infinity : columns.start[i] + columns.span[i];
    run.isWrite[i] = columns.kind[i] === 'w' ? 1 : 0;
  }
  return run;
}

function flags(indices, count) {
  const all = new Uint8Array(count);
  for (const i of indices) all[i] = 1;
  return all;
}

function readClause([why, beforeClient, beforeStep, afterClient, afterStep, learnedFrom]) {
  return {
    why,
    before: { client: beforeClient, step: beforeStep },
    after: { client: afterClient, step: afterStep },
    learnedFrom,
  };
}

function readViolation(v) {
  const chain = v.chain.map(readClause);
  const broken = v.broken ? readClause(v.broken) : null;
  return { ...v, chain, broken, clauses: broken ? [...chain, broken] : chain };
}

export const isDrain = (run, i) => run.client[i] === NONE;
const isOk = (run, i) => run.outcome[i] === 'o';

/** The number of the operation's event: a publish has it at its call, a read at its return. */
export function numberOf(run, i) {
  if (run.isWrite[i] && !isDrain(run, i)) return run.start[i];
  return run.end[i] === Infinity ? run.start[i] : run.end[i];
}

/** What the lines say of each message id, taken together. */
export function messageFacts(run) {
  const count = run.messages.length;
  const facts = {
    send: new Int32Array(count).fill(NONE),
    written: new Uint8Array(count),
    failed: new Uint8Array(count),
    ok: new Uint8Array(count),
    conflicted: new Uint8Array(count),
  };
  for (const m of run.conflicted) facts.conflicted[m] = 1;
  for (let i = 0; i < run.count; ++i) {
    const m = run.message[i];
    if (m === NONE || !run.isWrite[i] || isDrain(run, i)) continue;
    facts.written[m] = 1;
    if (run.outcome[i] === 'f') continue;
    if (facts.send[m] !== NONE) facts.conflicted[m] = 1;
    facts.send[m] = i;
    // While a publish is open it is taken to end well, as the checker does.
    facts.ok[m] = isOk(run, i) || (run.isLive && run.end[i] === Infinity) ? 1 : 0;
  }
  for (let m = 0; m < count; ++m) facts.failed[m] = facts.written[m] && facts.send[m] === NONE ? 1 : 0;
  return facts;
}

/** Whether the operation is a read whose answer counts as observed. */
export function isObservation(run, facts, i) {
  const m = run.message[i];
  if (run.isWrite[i] || isDrain(run, i) || m === NONE || !isOk(run, i)) return false;
  if (run.declared.slots !== 'none' && run.slot[i] === NONE) return false;
  const send = facts.send[m];
  if (send === NONE || facts.conflicted[m]) return false;
  return run.topic[send] === run.topic[i] && run.start[send] < run.end[i];
}

/**
 * The events of a run in the order of their numbers: parallel arrays `client`, `step`, `number`,
 * `operation`, `message`, `isPublish`, `previous` (the client's event before it), `leadsOn` (whether
 * P1 leads on from it); `eventOf` by operation and `publishOf` by message.
 */
export function timelineOf(run) {
  const facts = messageFacts(run);
  const all = [];
  for (let i = 0; i < run.count; ++i) {
    if (isDrain(run, i)) continue;
    // Of a part of a run the checker says which operations are events: it saw what is left out.
    if (run.stepsGiven && run.stepsGiven[i] === 0) continue;
    if (run.isWrite[i]) {
      all.push({ operation: i, number: run.start[i], isPublish: 1 });
    } else if (run.stepsGiven || isObservation(run, facts, i)) {
      all.push({ operation: i, number: run.end[i], isPublish: 0 });
    }
  }
  all.sort((a, b) => a.number - b.number || b.isPublish - a.isPublish || a.operation - b.operation);

  const latest = run.declared.reads === 'latest';
  const clients = run.clients.length;
  const steps = new Int32Array(clients);
  const lastEvent = new Int32Array(clients).fill(NONE);
  const lastAnswer = new Int32Array(clients).fill(NONE); // the operation, while nothing came after
  const eventOf = new Int32Array(run.count).fill(NONE);
  const client = [];
  const step = [];
  const number = [];
  const operation = [];
  const message = [];
  const isPublish = [];
  const previous = [];
  for (const event of all) {
    const i = event.operation;
    const c = run.client[i];
    const before = lastAnswer[c];
    const repeats = !run.stepsGiven && !event.isPublish && latest && before !== NONE &&
      run.topic[before] === run.topic[i] && run.message[before] === run.message[i] &&
      run.slot[before] === run.slot[i];
    if (repeats) {
      eventOf[i] = lastEvent[c];
      continue;
    }
    lastAnswer[c] = event.isPublish ? NONE : i;
    steps[c] += 1;
    eventOf[i] = client.length;
    client.push(c);
    step.push(run.stepsGiven ? run.stepsGiven[i] : steps[c]);
    number.push(event.number);
    operation.push(i);
    message.push(run.message[i]);
    isPublish.push(event.isPublish);
    previous.push(lastEvent[c]);
    lastEvent[c] = client.length - 1;
  }
  const count = client.length;
  const publishOf = new Int32Array(run.messages.length).fill(NONE);
  for (let m = 0; m < publishOf.length; ++m) {
    if (facts.send[m] !== NONE) publishOf[m] = eventOf[facts.send[m]];
  }
  const leadsOn = new Uint8Array(count);
  for (let e = 0; e < count; ++e) {
    const m = message[e];
    leadsOn[e] = !isPublish[e] || (facts.ok[m] && facts.send[m] === operation[e]) ? 1 : 0;
  }
  const byClient = run.clients.map(() => []);
  for (let e = 0; e < count; ++e) byClient[client[e]].push(e);
  return {
    facts, count, client, step, number, operation, message, isPublish, previous, eventOf, publishOf,
    leadsOn, byClient,
  };
}

/** The event of a client's step, or NONE; steps that were left out have none. */
export function eventAt(line, symbol) {
  const own = line.byClient[symbol.client];
  let low = 0;
  let high = own.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const step = line.step[own[middle]];
    if (step === symbol.step) return own[middle];
    if (step < symbol.step) low = middle + 1;
    else high = middle - 1;
  }
  return NONE;
}
