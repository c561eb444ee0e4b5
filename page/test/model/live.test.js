// A run told record by record comes to the same page as the recorded one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveBlock, recordWords } from '../../model/live_block.js';
import { modelOf } from '../../model/model.js';
import { eventSymbol } from '../../model/words.js';
import { clockOf } from '../../model/clocks.js';
import { fixtures, random } from './facts.js';

const all = [...fixtures(), ...random(100)];

const clocksByEvent = ({ run, line, clocks }) => Object.fromEntries(
  Array.from({ length: line.count }, (_, e) => [eventSymbol(run, line, e), clockOf(clocks, e)]));

test('told to its end it has the events and clocks of the recorded run', () => {
  for (const { name, model, records } of all) {
    const live = new LiveBlock();
    for (const record of records) live.take(record);
    assert.equal(live.ended, true);
    const told = modelOf(live.snapshot(), '');
    assert.deepEqual(clocksByEvent(told), clocksByEvent(model), name);
    assert.equal(told.conflicts.length, model.conflicts.length);
    told.conflicts.forEach((conflict, k) => {
      const words = (m, c) => c.edges.map((e) => [e.why, m.run.clients[m.run.client[e.learnedFrom]], m.run.start[e.learnedFrom]]);
      assert.deepEqual(words(told, conflict), words(model, model.conflicts[k]), name);
    });
  }
});

test('at every moment on the way there is a page', () => {
  for (const { records } of all.slice(0, 60)) {
    const live = new LiveBlock();
    for (const record of records) {
      live.take(record);
      modelOf(live.snapshot(), '');
    }
  }
});

test('every record but the first and the last says what is known so far', () => {
  for (const { records } of all) {
    assert.equal(records[0].type, 'run');
    assert.equal(records.at(-1).type, 'ended');
    for (const record of records.slice(1, -1)) assert.match(record.so_far.verdict, /^(holds|breaks)$/);
  }
});

test('a queue holds until the delivery', () => {
  const live = new LiveBlock();
  live.take({ type: 'run', title: '', clients: ['A', 'B', 'C'], topics: ['t'], nodes: [], declared: {} });
  const held = { type: 'message_held', message: 'C2', at: 'A', from: 'C', position: 7, blocked_by: { process: 'B', needed: 1, present: 0 } };
  live.take(held);
  assert.deepEqual(live.queues.get('A').map(({ message, blockedBy }) => [message, blockedBy]), [['C2', held.blocked_by]]);
  assert.equal(recordWords(held), 'message_held: C2 at A, blocked by B: needed 1, present 0');
  live.take({ type: 'message_delivered', message: 'C2', at: 'A', by: 'B1', position: 9 });
  assert.deepEqual(live.queues.get('A'), []);
});
