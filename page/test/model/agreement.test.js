// The page's answers are the checker's: events, clauses, clocks, cones, hold-back, shorthand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONCURRENT, FUTURE, PAST, SELF, clockOf, coneOf } from '../../model/clocks.js';
import { clauseLabel, eventSymbol } from '../../model/words.js';
import { shorthandOf } from '../../model/shorthand.js';
import { fixtures, random } from './facts.js';

const all = [...fixtures(), ...random(400)];

/** The clause lines of the live annotation, by event. */
function annotated(text) {
  const events = new Map();
  let current = null;
  for (const line of text.split('\n')) {
    const grounding = /^ {5}grounding {2}(.*) = (\d+)$/.exec(line);
    if (grounding) {
      current = [];
      events.set(grounding[1], { number: Number(grounding[2]), clauses: current });
    } else if (line.startsWith('     clause     ')) {
      current.push(line.slice(16));
    } else if (!line.startsWith('     ')) {
      current = null;
    }
  }
  return events;
}

test('there is something to compare', () => {
  assert.ok(fixtures().length >= 40);
  assert.ok(all.some(({ waits }) => waits !== ''));
  assert.ok(all.some(({ lone }) => lone.some((known) => known.length > 0)));
  assert.ok(all.some(({ annotation }) => annotation.includes('P3')));
  assert.ok(all.some(({ annotation }) => annotation.includes('is FALSE')));
});

for (const facts of all) {
  const { model } = facts;
  const { run, line, clocks } = model;
  test(`${facts.name}: events, clauses and their truth`, () => {
    const expected = annotated(facts.annotation);
    const found = new Map();
    for (let e = 0; e < line.count; ++e) {
      found.set(eventSymbol(run, line, e), {
        number: line.number[e],
        clauses: model.clauses.of(e).map((clause) =>
          `${clauseLabel(run, clause)}  (${clause.beforeNumber} < ${clause.afterNumber}` +
          (model.clauses.holds(clause) ? ')' : ' is FALSE)')),
      });
    }
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
    if (line.count > 0) {
      const all = [...expected.values()].reduce((sum, { clauses }) => sum + clauses.length, 0);
      assert.equal(model.clauses.soFar(line.count - 1), all);
    }
  });

  test(`${facts.name}: clocks, and the relation of every two events`, () => {
    assert.equal(line.count, facts.clocks.length);
    const letters = { [PAST]: 'b', [FUTURE]: 'a', [CONCURRENT]: 'c', [SELF]: 'e' };
    for (let e = 0; e < line.count; ++e) {
      assert.equal(eventSymbol(run, line, e), facts.symbols[e]);
      assert.deepEqual(clockOf(clocks, e), facts.clocks[e]);
      assert.deepEqual(clocks.lone[e] ?? [], facts.lone[e]);
      const cone = coneOf(line, clocks, e);
      // Of the checker: how e stands to the other; of the page: how the other stands to e.
      const flipped = [...facts.orders[e]].map((c) => ({ b: 'a', a: 'b' }[c] ?? c)).join('');
      assert.equal([...cone.of].map((relation) => letters[relation]).join(''), flipped);
      assert.equal(cone.counts.past, [...flipped].filter((c) => c === 'b').length);
      assert.equal(cone.counts.future, [...flipped].filter((c) => c === 'a').length);
      assert.equal(cone.counts.concurrent, [...flipped].filter((c) => c === 'c').length);
    }
  });

  test(`${facts.name}: what a causal receiver would have waited for`, () => {
    const text = model.waits.map((wait) => {
      const needs = `needs ${run.clients[wait.process]} ${wait.needs}, has ${run.clients[wait.process]} ${wait.has}`;
      const end = wait.releasedAt === Infinity ? 'never released' : `released by event ${wait.releasedAt}`;
      return `${run.clients[wait.reader]}: ${run.messages[wait.message]} waits for ${run.messages[wait.missing]}: ${needs}; ${end}\n`;
    }).join('');
    assert.equal(text, facts.waits);
  });
}

// Faults and leaves are not part of what the page copies; positions shared by several marks leave their
// order to the sort.
test('shorthand of a whole run is what the checker writes', () => {
  let compared = 0;
  for (const { model, shorthand } of all) {
    const { run } = model;
    if (run.faults.length > 0 || run.leaves.length > 0 || /\$/.test(shorthand)) continue;
    assert.equal(shorthandOf(run, Array.from({ length: run.count }, (_, i) => i)), shorthand);
    ++compared;
  }
  assert.ok(compared > 100, `only ${compared} compared`);
});
