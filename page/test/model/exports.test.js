// What the page hands on is what its readers ask for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromeTrace, historyLine, shivizLog } from '../../model/exports.js';
import { fixtures, random } from './facts.js';

const all = [...fixtures(), ...random(100)];

test('the ShiViz log keeps the rules of its parser: a host starts at 1 and goes by steps of 1, clocks only grow', () => {
  for (const { name, model } of all) {
    const lines = shivizLog(model.run, model.line).split('\n');
    assert.equal(lines.length, 2 * model.line.count + 1);
    const last = new Map();
    for (let k = 0; k + 1 < lines.length; k += 2) {
      const [, host, clockText] = /^(\S+) (\{.*\})$/.exec(lines[k]);
      const clock = JSON.parse(clockText);
      const before = last.get(host) ?? {};
      assert.equal(clock[host], (before[host] ?? 0) + 1, `${name}: ${lines[k]}`);
      for (const [other, step] of Object.entries(before)) assert.ok(clock[other] >= step);
      for (const [other, step] of Object.entries(clock)) {
        if (other !== host) assert.ok(step <= (last.get(other)?.[other] ?? 0), `${name}: ${lines[k]} knows the future`);
      }
      last.set(host, clock);
    }
  }
});

test('a line of a history is one, and tells the operation', () => {
  for (const { model: { run } } of all) {
    for (let i = 0; i < run.count; ++i) {
      const line = JSON.parse(historyLine(run, i));
      assert.equal(line.start, run.start[i]);
      assert.equal(line.msg, run.message[i] < 0 ? null : run.messages[run.message[i]]);
      if (line.end === undefined) assert.equal(line.outcome, 'info');
    }
  }
});

test('the Chrome trace has a slice for each operation of a client', () => {
  for (const { model: { run } } of all) {
    const { traceEvents } = JSON.parse(chromeTrace(run));
    const slices = traceEvents.filter(({ ph }) => ph === 'X');
    assert.equal(slices.length, Array.from(run.client).filter((c) => c >= 0).length);
    assert.ok(slices.every(({ dur }) => dur >= 1));
  }
});
