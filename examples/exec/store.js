#!/usr/bin/env node
// A small store for `causalcheck fuzz 'exec:node examples/exec/store.js'`.
//
// One log for each topic, in memory; a poll answers with its last entry. The protocol is in
// docs/exec-protocol.md: one JSON object per line, each request answered by a line with its id.
'use strict';
const readline = require('readline');

const logs = new Map();

const operations = {
  hello: () => ({
    protocol: 1,
    slots: 'contiguous',  // a commit is told its place in the log, without gaps
    reads: 'latest',      // a poll resolves the freshest message
    level: 'total',       // and everybody sees them in one order
    retries: 'none',      // a message never enters the log twice
    claims: ['read-your-writes', 'monotonic-reads', 'monotonic-writes', 'writes-follow-reads',
             'real-time'],
    concurrency: 'read-during-commit',
    in_turn: true,  // nothing here waits, so one request is answered before the next is looked at
  }),
  reset: (request) => {
    logs.clear();  // only what earlier runs of this very program wrote
    for (const topic of request.topics) logs.set(topic, []);
    return {};
  },
  open: () => ({}),
  commit: (request) => {
    const log = logs.get(request.topic);
    const slot = log.length;
    log.push({payload: request.payload, slot, delete: request.delete});
    return {slot};
  },
  poll: (request) => {
    const log = logs.get(request.topic);
    return {entry: log.length > 0 ? log[log.length - 1] : null};
  },
  drain: (request) => ({entries: logs.get(request.topic)}),
  close: () => ({resume: ''}),
  shutdown: () => ({}),
};

const lines = readline.createInterface({input: process.stdin, terminal: false});
lines.on('line', (line) => {
  const request = JSON.parse(line);
  const operation = operations[request.op];
  const answer = operation === undefined
      ? {id: request.id, outcome: 'fail', text: 'there is no ' + request.op}
      : {id: request.id, outcome: 'ok', ...operation(request)};
  process.stdout.write(JSON.stringify(answer) + '\n');
  if (request.op === 'shutdown') lines.close();
});
