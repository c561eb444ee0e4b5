// What the page can hand on: lines of a history, a log for ShiViz, slices for Chrome's trace viewer.
import { NONE, isDrain, numberOf } from './run.js';
import { clientName, deed, eventSymbol } from './words.js';

/** An operation as its line of a history file; members this page was not given are not in it. */
export function historyLine(run, i) {
  const drain = isDrain(run, i);
  const line = {
    client: drain ? '_drain' : run.clients[run.client[i]], op: run.isWrite[i] && !drain ? 'write' : 'read',
    topic: run.topics[run.topic[i]], msg: run.message[i] === NONE ? null : run.messages[run.message[i]],
    slot: run.slot[i] === NONE ? null : run.slot[i],
    outcome: { o: 'ok', f: 'fail', i: 'info' }[run.outcome[i]], start: run.start[i],
  };
  if (run.end[i] !== Infinity) line.end = run.end[i];
  if (run.session && run.session[i] !== 1) line.session = run.session[i];
  if (run.node && run.node[i] > 0) line.node = run.nodes[run.node[i] - 1];
  if (run.isDelete[i]) line.delete = true;
  if (run.undecodable[i]) line.undecodable = true;
  if (run.foreign[i]) line.foreign = true;
  return JSON.stringify(line);
}

export const historyOfRows = (run, operations) =>
  operations.map((i) => `${historyLine(run, i)}\n`).join('');

/**
 * The run as a log in ShiViz's usual format, a host for each client: an event's clock counts all events
 * of its client, from 1 by steps of 1, as ShiViz asks.
 */
export function shivizLog(run, line) {
  const clocks = run.clients.map(() => run.clients.map(() => 0));
  const published = new Map();
  let text = '';
  for (let e = 0; e < line.count; ++e) {
    const own = clocks[line.client[e]];
    const sent = line.isPublish[e] ? null : published.get(line.message[e]);
    sent?.forEach((step, c) => { own[c] = Math.max(own[c], step); });
    ++own[line.client[e]];
    if (line.isPublish[e] && line.facts.send[line.message[e]] === line.operation[e]) published.set(line.message[e], [...own]);
    const clock = Object.fromEntries(own.map((step, c) => [hostName(run, c), step]).filter(([, step]) => step > 0));
    text += `${hostName(run, line.client[e])} ${JSON.stringify(clock)}\n${eventSymbol(run, line, e)} ${deed(run, line.operation[e])}\n`;
  }
  return text;
}

/** ShiViz ends a host's name at the first blank. */
const hostName = (run, c) => clientName(run, c).replace(/\s/g, '_');

/** Slices for Chrome's trace viewer: a thread for each client, a microsecond for each position. */
export function chromeTrace(run) {
  const last = Math.max(1, ...Array.from({ length: run.count }, (_, i) => numberOf(run, i)));
  const events = run.clients.map((_, c) => ({ ph: 'M', name: 'thread_name', pid: 1, tid: c + 1, args: { name: clientName(run, c) } }));
  for (let i = 0; i < run.count; ++i) {
    if (isDrain(run, i)) continue;
    const end = run.end[i] === Infinity ? last : run.end[i];
    events.push({ ph: 'X', name: deed(run, i), cat: run.isWrite[i] ? 'publish' : 'read', pid: 1, tid: run.client[i] + 1, ts: run.start[i], dur: Math.max(1, end - run.start[i]) });
  }
  return JSON.stringify({ traceEvents: events });
}
