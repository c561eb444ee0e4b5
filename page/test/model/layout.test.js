// Rows, lanes, filters and their words, links, comparing: without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, DIFFERS, ONLY_HERE, SAME } from '../../model/compare.js';
import { coneOf } from '../../model/clocks.js';
import { fromFragment, toFragment } from '../../model/fragment.js';
import { announcement, defaultSettings, lanesOf, rowsOf, waitWords } from '../../model/layout.js';
import { modelOf } from '../../model/model.js';
import { NONE } from '../../model/run.js';
import { symbolText, visible } from '../../model/words.js';
import { fixtures } from './facts.js';

/** A block with the operations [client, kind, message, start, end, outcome]. */
function blockOf(operations, { reads = 'feed', clients = ['A', 'B', 'C'], ...more } = {}) {
  const messages = [...new Set(operations.map(([, , m]) => m).filter((m) => m !== null))];
  return {
    name: 'run', verdict: 'holds', why: '', clients, topics: ['t'], messages, nodes: [],
    declared: { slots: 'none', reads, level: 'causal', scope: 'topic', retries: 'none' },
    columns: {
      client: operations.map(([c]) => clients.indexOf(c)), kind: operations.map(([, k]) => k).join(''),
      topic: operations.map(() => 0), message: operations.map(([, , m]) => (m === null ? NONE : messages.indexOf(m))),
      slot: operations.map(() => NONE), start: operations.map(([, , , start]) => start),
      span: operations.map(([, , , start, end]) => (end === null ? NONE : end - start)),
      outcome: operations.map(([, , , , , outcome]) => outcome ?? 'o').join(''), deletes: [], undecodable: [], foreign: [],
    },
    conflicted: [], faults: [], leaves: [], other: [], violations: [], ...more,
  };
}

const dinner = () => modelOf(blockOf([
  ['B', 'w', 'B1', 1, 2], ['C', 'r', 'B1', 3, 4], ['C', 'w', 'C2', 5, 6], ['A', 'r', 'C2', 7, 8], ['A', 'r', 'B1', 9, 10],
], { violations: [{
  guarantees: ['causal'], sentence: '', class: '', contradiction: true, fingerprint: '', operations: [3, 4],
  broken: [3, 2, 2, 1, 1, 4], chain: [[2, 1, 1, 2, 1, 1], [1, 2, 1, 2, 2, 2]],
}] }), 'happened-before');

test('a wait is told with its release', () => {
  const model = dinner();
  assert.equal(model.waits.length, 1);
  assert.equal(waitWords(model, model.waits[0]), 'C2 would wait at A for B1: needs B 1, has 0; released by A2 (1 event later)');
});

test('a wait without an end says so; an overwritten message was never needed', () => {
  const feed = modelOf(blockOf([['B', 'w', 'B1', 1, 2], ['C', 'r', 'B1', 3, 4], ['C', 'w', 'C2', 5, 6], ['A', 'r', 'C2', 7, 8]]), '');
  assert.match(waitWords(feed, feed.waits[0]), /still waiting at the end of the run$/);
  const latest = modelOf(blockOf([['B', 'w', 'B1', 1, 2], ['B', 'w', 'B2', 3, 4], ['A', 'r', 'B2', 5, 6]], { reads: 'latest' }), '');
  assert.deepEqual(latest.waits, []);
  assert.deepEqual(latest.neverNeeded.map(({ reader, event }) => [reader, event]), [[0, 2]]);
});

test('the conflict opens at the broken clause, and its events make its rows', () => {
  const model = dinner();
  const [conflict] = model.conflicts;
  assert.equal(conflict.opensAt, 4);
  assert.deepEqual([...conflict.operations].sort(), [0, 1, 2, 3, 4]);
  assert.deepEqual(conflict.edges.map(({ index, isBroken }) => [index, isBroken]), [[1, false], [2, false], [3, true]]);
  const { rows } = rowsOf(model, conflict, null, defaultSettings());
  assert.equal(announcement(model, conflict, rows[4], 4, 5), 'Row 5 of 5, number 10, A observes B1. Breaks P3: C2 before B1.');
});

test('clients of the conflict stand next to the log, the others behind it', () => {
  const model = modelOf(blockOf([['A', 'w', 'A1', 1, 2], ['B', 'w', 'B1', 3, 4], ['C', 'w', 'C1', 5, 6], ['C', 'w', 'C2', 7, 8]]), '');
  const labels = (conflict, settings = {}) =>
    lanesOf(model, conflict, { ...defaultSettings(), ...settings }).lanes.map(({ label }) => label);
  assert.deepEqual(labels(null), ['C', 'A', 'B', 'log']);
  assert.deepEqual(labels({ operations: new Set([1]) }), ['B', 'log', 'C', 'A']);
  assert.deepEqual(labels({ operations: new Set([1]) }, { hiddenLanes: ['c2'] }), ['B', 'log', 'A']);
});

test('filters say in words what is hidden', () => {
  const model = dinner();
  const [conflict] = model.conflicts;
  const words = (settings, selection = null) => rowsOf(model, conflict, selection, { ...defaultSettings(), ...settings }).words;
  assert.equal(words({}), 'Showing 5 operations.');
  assert.equal(words({ client: '0', kind: 'observe' }), 'Showing 2 operations by A, only observations; 3 hidden.');
  assert.equal(words({ principle: '3' }), 'Showing 1 operation that add a P3 clause; 4 hidden.');
  assert.equal(words({ text: ' b1 ' }), 'Showing 3 operations with "b1"; 2 hidden.');
  const event = 2;
  const selection = { operation: 2, event, cone: coneOf(model.line, model.clocks, event) };
  assert.equal(words({ where: 'past' }, selection), 'Showing 3 operations in the past of C2; 2 hidden.');
});

test('reads that brought nothing new are left out, and said to be', () => {
  const model = modelOf(blockOf([['A', 'r', null, 1, 2], ['B', 'w', 'B1', 3, 4], ['A', 'r', 'B1', 5, 6], ['A', 'r', 'B1', 7, 8]], { reads: 'latest' }), '');
  assert.equal(rowsOf(model, null, null, defaultSettings()).words, 'Showing 2 operations. 2 reads that brought nothing new are left out.');
  assert.equal(rowsOf(model, null, null, { ...defaultSettings(), repeats: true }).rows.length, 4);
});

test('folding keeps the conflict and counts what it folds', () => {
  const operations = [];
  for (let i = 0; i < 40; ++i) operations.push(['A', 'w', `A${i}`, 2 * i + 1, 2 * i + 2]);
  const model = modelOf(blockOf(operations), '');
  const conflict = { operations: new Set([20]), edges: [] };
  const { rows } = rowsOf(model, conflict, null, { ...defaultSettings(), folded: true });
  assert.deepEqual(rows.map((row) => row.folded ?? row.operation), [20, 20, 19]);
  assert.deepEqual([rows[0].from, rows[0].to, rows[1].operation], [1, 39, 20]);
  const open = rowsOf(model, conflict, null, { ...defaultSettings(), folded: true, unfolded: [0] });
  assert.equal(open.rows.length, 22);
});

test('a link says what is selected, shown and filtered, and reads back', () => {
  const settings = { ...defaultSettings(), client: '2', text: 'a & b#=%', hiddenLanes: ['c1', 't0'], folded: true, byPosition: true };
  const view = { run: 1, compare: true, conflict: 2, operation: 7, number: 15, selected: 3, settings };
  const link = toFragment(view);
  assert.deepEqual(fromFragment(link), { ...view, settings });
  assert.equal(toFragment({ run: 0, compare: false, conflict: 0, operation: NONE, number: NONE, selected: NONE, settings: defaultSettings() }), '');
});

test('a link that makes no sense is a link to the start', () => {
  const link = fromFragment('#run=x&o=-1&e=1e9&client=<b>&kind=zzz&where=__proto__&hide=evil,c1&principle=9');
  assert.deepEqual(link.settings, { ...defaultSettings(), hiddenLanes: ['c1'] });
  assert.deepEqual([link.run, link.operation, link.number, link.selected], [0, null, null, null]);
});

test('two runs are matched by client and n-th publish or observation', () => {
  const left = modelOf(blockOf([['A', 'w', 'A1', 1, 2], ['B', 'r', 'A1', 3, 4]]), '');
  const right = modelOf(blockOf([['C', 'w', 'C1', 1, 2], ['A', 'w', 'A1', 3, 4], ['B', 'r', 'C1', 5, 6]]), '');
  const [a, b] = compare(left, right);
  assert.deepEqual(a.state, [SAME, DIFFERS]);
  assert.deepEqual(b.state, [ONLY_HERE, SAME, DIFFERS]);
  assert.deepEqual([...a.match], [1, 2]);
});

test('marks without width or against the direction of writing are written out', () => {
  assert.equal(visible('a\u202eb\u200f\u0000\ufeff\u2028'), 'a<U+202E>b<U+200F><U+0000><U+FEFF><U+2028>');
  assert.equal(visible('שלום é 漢字 😀'), 'שלום é 漢字 😀');
  assert.equal(symbolText('A~2', 1), 'A~2.1');
});

test('every row of every fixture has words', () => {
  for (const { model } of fixtures()) {
    const conflict = model.conflicts[0] ?? null;
    const { rows } = rowsOf(model, conflict, null, { ...defaultSettings(), repeats: true });
    assert.equal(rows.length, model.run.count);
    for (const [r, row] of rows.entries()) {
      assert.match(announcement(model, conflict, row, r, rows.length), /^Row \d+ of \d+, number \d+, .+\./);
    }
  }
});
