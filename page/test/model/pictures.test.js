// What the program draws without a script: well-formed, and complete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixtures, random } from './facts.js';

const all = [...fixtures(), ...random(400)];

/** Whether every element is closed where it was opened; attributes and text are as the writer escapes them. */
function problemOf(text) {
  const open = [];
  for (const [tag, close, name, attributes, self] of text.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>|</g)) {
    if (name === undefined) return `a lone < at ...${tag}`;
    if (close) {
      const expected = open.pop();
      if (expected !== name) return `</${name}> closes <${expected}>`;
    } else if (!self) {
      open.push(name);
      const names = [...attributes.matchAll(/([\w:-]+)=/g)].map(([, n]) => n);
      if (new Set(names).size !== names.length) return `an attribute twice in <${name}${attributes}>`;
    }
  }
  return open.length === 0 ? null : `<${open.pop()}> is not closed`;
}

test('pictures are well-formed, and number every clause of the violation they show', () => {
  let drawn = 0;
  for (const { name, svg, model } of all) {
    const [conflict] = model.conflicts;
    if (!conflict) {
      assert.equal(svg, '', name);
      continue;
    }
    ++drawn;
    assert.equal(problemOf(svg), null, name);
    for (const edge of conflict.edges) assert.ok(svg.includes(`>${edge.index}  P${edge.why} `), `${name}: clause ${edge.index}`);
    const broken = conflict.edges.some((edge) => edge.isBroken);
    assert.equal(svg.includes('>FALSE</text>'), broken, name);
    assert.ok(!/NaN|inf|undefined/.test(svg), name);
  }
  assert.ok(drawn > 100);
});

test('pages are well-formed but for what is no element, and hold a picture and a row for each violation', () => {
  for (const { name, page, model } of all) {
    const plain = page.replace(/<script.*?<\/script>/gs, '').replace(/<style>.*?<\/style>/s, '')
      .replace(/<!DOCTYPE html>|<meta[^>]*>/g, '');
    assert.equal(problemOf(plain), null, name);
    assert.equal((plain.match(/<svg /g) ?? []).length, model.conflicts.length, name);
    const ids = [...plain.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual(ids.filter((id, k) => ids.indexOf(id) !== k), [], name);
    model.conflicts.forEach((conflict, k) => {
      for (const edge of conflict.edges) assert.ok(ids.includes(`v${k + 1}-${edge.index}`), name);
    });
  }
});
