// Two runs side by side: rows matched by client label and n-th publish or observation.
import { NONE, isDrain } from './run.js';
import { messageName } from './words.js';

export const SAME = 'same';
export const DIFFERS = 'differs';
export const ONLY_HERE = 'only here';

function keysOf(model) {
  const { run } = model;
  const counts = new Map();
  const keys = new Array(run.count).fill(null);
  for (const i of model.order) {
    if (model.repeats[i]) continue;
    const kind = isDrain(run, i) ? 'd' : run.isWrite[i] ? 'w' : 'r';
    const who = `${kind} ${run.client[i] === NONE ? run.topics[run.topic[i]] : run.clients[run.client[i]]}`;
    const n = (counts.get(who) ?? 0) + 1;
    counts.set(who, n);
    keys[i] = `${n} ${who}`;
  }
  return keys;
}

function what(run, i) {
  return [messageName(run, run.message[i]), run.topics[run.topic[i]], run.outcome[i], run.slot[i]].join(' ');
}

/** For each operation of each side: its match on the other (or NONE), and SAME, DIFFERS, ONLY_HERE. */
export function compare(left, right) {
  const leftKeys = keysOf(left);
  const rightKeys = keysOf(right);
  const byKey = new Map();
  rightKeys.forEach((key, i) => { if (key !== null) byKey.set(key, i); });
  const sides = [left, right].map((model) => ({
    match: new Int32Array(model.run.count).fill(NONE),
    state: new Array(model.run.count).fill(ONLY_HERE),
  }));
  leftKeys.forEach((key, i) => {
    const j = key === null ? undefined : byKey.get(key);
    if (j === undefined) return;
    sides[0].match[i] = j;
    sides[1].match[j] = i;
    const state = what(left.run, i) === what(right.run, j) ? SAME : DIFFERS;
    sides[0].state[i] = state;
    sides[1].state[j] = state;
  });
  return sides;
}
