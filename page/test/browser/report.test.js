// The report in a real browser: what it opens with, every key, selection, filters, comparing, paper,
// no scripts, and a history that would like to be more than data.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Browser, KEY } from './driver.js';
import { causalcheck, dinner, fixtures, folder, historyOf, reportOf, shots } from './reports.js';

const TEXT = 'return document.querySelector(arguments[0])?.textContent ?? null';
const HEAD = 'return document.querySelector(".inspector h3").textContent';

/** Waits until `script` returns something true. */
async function until(browser, script, ...args) {
  for (let i = 0; i < 100; ++i) {
    const value = await browser.run(script, ...args);
    if (value) return value;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  throw new Error(`never: ${script}`);
}

async function open(browser, url) {
  await browser.go('about:blank'); // a change of the fragment alone would not load the page again
  await browser.go(url);
  await browser.requests();
  await until(browser, 'return !!window.causalcheck');
  await browser.run('window.causalcheck.timeline.grid.focus()');
}

describe('the dinner', () => {
  let browser;
  let report;
  before(async () => {
    report = reportOf(dinner(), 'dinner');
    browser = await Browser.start();
    await open(browser, report.url);
  });
  after(() => browser?.stop());

  test('opens at the conflict, with the broken clause marked in words', async () => {
    assert.match(await browser.run(HEAD), /^A2: A observes B1/);
    const active = await browser.run('return document.getElementById(document.querySelector("[role=grid]").getAttribute("aria-activedescendant")).textContent');
    assert.match(active, /3 P3 C2 < B1 ✗ FALSE/);
    const said = await browser.run(TEXT, '#said');
    assert.match(said, /A observes B1\. Breaks P3: C2 before B1\./);
    assert.deepEqual(await browser.complaints(), []);
  });

  test('every clause of the violation has an element with its id, in the head and in the rows', async () => {
    for (const n of [1, 2, 3]) {
      assert.ok(await browser.run(TEXT, `#v1-${n}`), `head, clause ${n}`);
      assert.ok(await browser.run(TEXT, `#clause-${n}`), `row, clause ${n}`);
    }
  });

  test('is a grid with counts and one tab stop', async () => {
    assert.equal(await browser.run('return document.querySelector("[role=grid]").getAttribute("aria-rowcount")'), '8');
    assert.equal(await browser.run('return document.querySelectorAll(".grid [tabindex=\\"0\\"], .grid[tabindex=\\"0\\"]").length'), 1);
    assert.deepEqual(await browser.run('return [...document.querySelectorAll("[role=row]")].map((r) => Number(r.getAttribute("aria-rowindex")))'), [1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('n and p walk the clauses, c comes back', async () => {
    const seen = [];
    for (const key of ['n', 'n', 'n', 'p']) {
      await browser.type(key);
      seen.push((await browser.run(HEAD)).slice(0, 2));
    }
    assert.deepEqual(seen, ['C1', 'C2', 'A2', 'C2']);
    await browser.type('c');
    assert.match(await browser.run(HEAD), /^A2/);
  });

  test('arrows and letters move by row and by lane', async () => {
    await browser.type('c', KEY.up);
    assert.match(await browser.run(HEAD), /^A1/);
    await browser.type('k');
    assert.match(await browser.run(HEAD), /^C2/);
    await browser.type(',');
    assert.match(await browser.run(HEAD), /^C1/);
    await browser.type(KEY.right);
    assert.match(await browser.run(HEAD), /^C2/);
    await browser.type('j', KEY.down);
    assert.match(await browser.run(HEAD), /^A2/);
  });

  test('[ and ] go along P2', async () => {
    await browser.type('c', '[');
    assert.match(await browser.run(HEAD), /^B1: B publishes/);
    await browser.type(']');
    assert.match(await browser.run(HEAD), /^C1: C observes B1/);
  });

  test('Enter shows past, future and concurrent with the right counts, Escape clears', async () => {
    await browser.type('c', '[', KEY.enter); // B1
    assert.equal(await browser.run(TEXT, '#cone'), '↑ past 0, ↓ future 4, ∥ concurrent 0');
    await browser.type('j', 'j', KEY.enter); // C2
    assert.match(await browser.run(HEAD), /^C2/);
    assert.equal(await browser.run(TEXT, '#cone'), '↑ past 2, ↓ future 2, ∥ concurrent 0');
    await browser.type('j');
    assert.equal(await browser.run(TEXT, '#relation'), 'happens after C2');
    await browser.screenshot(join(shots, 'dinner-selected.png'));
    await browser.type(KEY.escape);
    assert.equal(await browser.run(TEXT, '#cone'), null);
  });

  test('shows both clocks of the event with the focus', async () => {
    await browser.type('c');
    assert.equal(await browser.run(TEXT, '#clock'), 'A 2B 1C 2');
    assert.equal(await browser.run('return document.querySelector("#clock .own").textContent'), 'A 2');
    assert.equal(await browser.run(TEXT, '#seen'), 'A: –B: B1C: C2');
  });

  test('says what a causal receiver would have waited for', async () => {
    assert.match(await browser.run(TEXT, '.lens'), /C2 would wait at A for B1: needs B 1, has 0; released by A2 \(1 event later\)/);
    assert.ok(await browser.run('return document.querySelector(".l-hold") !== null'));
  });

  test('a click selects, and the pointer over a clause lights its edge', async () => {
    await browser.click('#row-2');
    assert.match(await browser.run(HEAD), /^C2/);
    assert.match(await browser.run(TEXT, '#said'), /Selected C2: 2 events in its past, 2 in its future/);
    await browser.type(KEY.escape);
    await browser.run('document.querySelector("#clause-1").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))');
    assert.ok(await browser.run('return document.querySelector(".l-lit") !== null'));
  });

  test('the pointer over an edge lights its clause', async () => {
    await browser.run('document.querySelector("[data-edge=\\"2\\"] path").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))');
    assert.equal(await browser.run('return document.querySelector(".clause.lit").id'), 'clause-2');
  });

  test('filters in words; the link keeps them over a reload from disk', async () => {
    await browser.type('/', 'C', '2', KEY.enter);
    assert.match(await browser.run(TEXT, '#words'), /^Showing 3 operations with "C2"; 4 hidden\./);
    await browser.run('window.causalcheck.change({ kind: "publish" })');
    assert.match(await browser.run(TEXT, '#words'), /^Showing 1 operation only publishes, with "C2"; 6 hidden\./);
    await browser.type(KEY.enter);
    const link = await browser.run('return location.href');
    assert.match(link, /kind=publish/);
    await open(browser, link);
    assert.match(await browser.run(TEXT, '#words'), /^Showing 1 operation only publishes/);
    assert.match(await browser.run(HEAD), /^C2/);
    assert.match(await browser.run(TEXT, '#cone'), /past 2/);
    await browser.run('window.causalcheck.clearFilter()');
    await browser.type(KEY.escape);
  });

  test('where: only the conflict, only the past', async () => {
    await browser.run('window.causalcheck.change({ where: "cycle" })');
    assert.match(await browser.run(TEXT, '#words'), /^Showing 5 operations in the conflict; 2 hidden/);
    await browser.run('window.causalcheck.clearFilter()');
    await browser.run('window.causalcheck.focusOperation(2)');
    await browser.type(KEY.enter);
    await browser.run('window.causalcheck.change({ where: "past" })');
    assert.match(await browser.run(TEXT, '#words'), /^Showing 3 operations in the past of C2; 4 hidden/);
    await browser.type(KEY.escape);
    assert.match(await browser.run(TEXT, '#words'), /^Showing 7 operations\./);
  });

  test('g goes to a number, h hides a lane, H shows it, t spaces, f folds', async () => {
    await browser.type('g', '5', KEY.enter);
    assert.match(await browser.run(HEAD), /^C2/);
    await browser.type('h');
    assert.match(await browser.run(TEXT, '#words'), /not of the hidden lanes C/);
    await browser.type('H');
    assert.match(await browser.run(TEXT, '#words'), /^Showing 7 operations\.$/);
    const height = 'return document.querySelector(".body").offsetHeight';
    const plain = await browser.run(height);
    await browser.type('t');
    assert.ok(await browser.run(height) > plain);
    await browser.type('t', 'f');
    assert.equal(await browser.run('return window.causalcheck.settings.folded'), true);
    await browser.type('f');
  });

  test('y copies a test in shorthand', async () => {
    await browser.type(KEY.escape, 'c', 'y');
    assert.equal(await browser.run('return window.causalcheck.testText()'), 'chat:B!@1 chat:C<B1@1 chat:C!@2 chat:A<C2@2 chat:A<B1@1');
    await until(browser, 'return window.causalcheck.copied');
    if (await browser.run('return document.querySelector("dialog[open]") !== null')) await browser.type(KEY.escape);
  });

  test('hands on the rows as a history that is judged the same, and the run as a log', async () => {
    const [, , lines] = await browser.run('return window.causalcheck.exportOf("history")');
    const file = historyOf('again', []);
    writeFileSync(file, lines);
    assert.match(causalcheck('check', file, '--reads', 'feed', '--json'), /"verdict": "breaks"/);
    const [, , log] = await browser.run('return window.causalcheck.exportOf("shiviz")');
    writeFileSync(join(folder, 'again.log'), log);
    assert.match(causalcheck('clocks', join(folder, 'again.log')), /5 events/);
    const [, , svg] = await browser.run('return window.causalcheck.exportOf("svg")');
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });

  test('? lists the keys', async () => {
    await browser.run('window.causalcheck.timeline.grid.focus()');
    await browser.type('?');
    assert.match(await browser.run('return document.querySelector("dialog[open]").textContent'), /to the broken clause/);
    await browser.type(KEY.escape);
    await browser.run('window.causalcheck.timeline.grid.focus()');
  });

  test('prints head, sentence, picture and table, and no controls', async () => {
    const pdf = await browser.print();
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    writeFileSync(join(shots, 'dinner.pdf'), pdf);
    await browser.command('Emulation.setEmulatedMedia', { media: 'print' });
    const shown = (selector) => browser.run('const e = document.querySelector(arguments[0]); return e !== null && e.checkVisibility()', selector);
    assert.equal(await shown('header.verdict'), true);
    assert.equal(await shown('#v1 svg'), true);
    assert.equal(await shown('.events table'), true);
    assert.equal(await shown('.again'), true);
    assert.equal(await shown('#run'), false);
    await browser.screenshot(join(shots, 'dinner-paper.png'));
    await browser.command('Emulation.setEmulatedMedia', { media: '' });
  });

  test('asks for nothing but itself, and its policy would not let it', async () => {
    await browser.requests();
    await browser.go(report.url);
    const asked = (await browser.requests()).filter((url) => !url.startsWith('devtools:'));
    assert.deepEqual(asked, [report.url]);
    const blocked = await browser.runAsync(
      'const done = arguments[0]; fetch("http://127.0.0.1:9/").then(() => done("went out"), () => done("blocked"))');
    assert.equal(blocked, 'blocked');
    assert.ok((await browser.complaints()).some((text) => text.includes('Content Security Policy')));
  });
});

describe('without scripts', () => {
  let browser;
  before(async () => { browser = await Browser.start({ scripts: false }); });
  after(() => browser?.stop());

  test('verdict, sentence, picture and the table are there', async () => {
    const { url } = reportOf(dinner(), 'dinner');
    await browser.go(url);
    const text = await browser.run('return document.body.innerText');
    assert.match(text, /Violated/);
    assert.match(text, /A observed C2, which depends on B1, before B1\./);
    assert.match(text, /No order of these events is possible/);
    assert.match(text, /A read chat: C2 at slot 2 \[7\.\.8\]/);
    assert.equal(await browser.run('return document.documentElement.classList.contains("scripted")'), false);
    assert.equal(await browser.run('return document.querySelector("#v1 svg").getBoundingClientRect().height > 100'), true);
    await browser.screenshot(join(shots, 'dinner-no-scripts.png'));
  });
});

describe('a hostile history', () => {
  const long = 'T'.repeat(10240);
  const evil = ['</script><script>window.pwned = 1</script>', '"><img src=x onerror="window.pwned=1">', '\u202egnp.exe\u202c \u200f\u2067x',
    '<!--<script>', "'; window.pwned = 1; //", '\u2028\u2029\u0000\u001b[31m', 'http://127.0.0.1:9/pixel.png', '&lt;b&gt;', '${window.pwned = 1}', '__proto__'];
  let browser;
  let report;
  before(async () => {
    const lines = [{ format: 'causalcheck-history', version: 1, backend: { slots: 'none', reads: 'feed', level: 'causal' }, config: { '</script>': '<img src=x>' } }];
    let at = 1;
    for (const [i, name] of [...evil, long].entries()) {
      const author = name.replace('\u0000', '');
      lines.push({ client: author, op: 'write', topic: i % 2 ? long : author, msg: `${author} ${i}`, outcome: 'ok', start: at, end: at + 1 });
      lines.push({ client: 'reader', op: 'read', topic: i % 2 ? long : author, msg: `${author} ${i}`, outcome: 'ok', start: at + 2, end: at + 3 });
      at += 4;
    }
    lines.push({ client: 'x<y>', op: 'write', topic: 'chat', msg: '<b>1', outcome: 'ok', start: at, end: at + 1 });
    lines.push({ client: 'x<y>', op: 'write', topic: 'chat', msg: '</svg><script>window.pwned=2</script>', outcome: 'ok', start: at + 2, end: at + 3 });
    lines.push({ client: evil[0], op: 'read', topic: 'chat', msg: '</svg><script>window.pwned=2</script>', outcome: 'ok', start: at + 4, end: at + 5 });
    lines.push({ client: evil[0], op: 'read', topic: 'chat', msg: '<b>1', outcome: 'ok', start: at + 6, end: at + 7 });
    lines.push({ fault: '<i>partition', target: evil[1], start: 2, end: 9 });
    lines.push({ note: '</script>', start: 3 });
    report = reportOf(historyOf('hostile', lines), 'hostile');
    browser = await Browser.start();
    await open(browser, report.url);
  });
  after(() => browser?.stop());

  test('runs nothing, asks for nothing and leaves the page as it is', async () => {
    for (let i = 0; i < 25; ++i) await browser.type(KEY.up, KEY.enter);
    await browser.type('f', 'f', 't', 'y');
    assert.equal(await browser.run('return window.pwned ?? null'), null);
    assert.equal(await browser.run('return document.querySelectorAll("img, b, i, iframe, object, embed, link, a[href^=\\"http\\"]").length'), 0);
    assert.equal(await browser.run('return document.querySelectorAll("script").length'), 2);
    assert.deepEqual((await browser.requests()).filter((url) => !url.startsWith('devtools:') && url !== report.url), []);
    assert.deepEqual(await browser.complaints(), []);
    await browser.screenshot(join(shots, 'hostile.png'));
  });

  test('shows marks that turn the direction of writing instead of obeying them', async () => {
    const text = await browser.run('return document.body.textContent');
    const data = await browser.run('return document.querySelector("#data").textContent + [...document.scripts].pop().textContent');
    assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(text.replace(data, '').replace(/\{"version":1.*/s, '')));
    assert.match(text, /<U\+202E>gnp\.exe/);
  });

  test('keeps the page in shape', async () => {
    assert.ok(await browser.run('return document.documentElement.scrollWidth <= window.innerWidth'));
    assert.ok(await browser.run('return [...document.querySelectorAll(".row")].every((row) => row.offsetHeight === 34)'));
    assert.match(await browser.run(HEAD), /:/);
  });

  test('the file holds no reference to anything outside', () => {
    const text = readFileSync(report.file, 'utf8').replace(/<script type="application\/json".*?<\/script>/s, '');
    const references = text.match(/(?:src|href|action|data|poster|srcset)\s*=\s*["'][^"'#]/g) ?? [];
    assert.deepEqual(references, []);
    assert.ok(!/@import|url\(/.test(text));
  });
});

describe('an artifact of fuzz', () => {
  let browser;
  let url;
  before(async () => {
    causalcheck('fuzz', 'planted:stale-follower', '--seed', '7', '--events', '40', '--out', join(folder, 'out'));
    url = `file://${join(folder, 'out', 'planted_stale-follower-7', 'report.html')}`;
    browser = await Browser.start({ dark: true, height: 1400 });
    await open(browser, url);
  });
  after(() => browser?.stop());

  test('opens with the shrunk run and can switch to the recorded one', async () => {
    assert.match(await browser.run(TEXT, '.facts'), /\(shrunk from \d+\)/);
    const shrunk = await browser.run('return window.causalcheck.model.line.count');
    await browser.screenshot(join(shots, 'artifact-dark.png'));
    await browser.run('window.causalcheck.openRun(1)');
    assert.ok(await browser.run('return window.causalcheck.model.line.count') > shrunk);
    await browser.screenshot(join(shots, 'artifact-recorded.png'));
  });

  test('compares the two side by side, and clicking shows the match', async () => {
    await browser.run('window.causalcheck.openCompare()');
    const words = await browser.run(TEXT, '.words[role=status]');
    assert.match(words, /operations? the same, \d+ differ, \d+ only in shrunk, \d+ only in as recorded/);
    const panes = await browser.run('return document.querySelectorAll(".compare .pane").length');
    assert.equal(panes, 2);
    await browser.run('document.querySelector(".compare .pane .row").click()');
    assert.ok(await browser.run('return document.querySelectorAll(".compare .row.active").length') >= 1);
    await browser.screenshot(join(shots, 'artifact-compare.png'));
    const link = await browser.run('return location.href');
    assert.match(link, /compare=1/);
  });
});

describe('every fixture', () => {
  let browser;
  before(async () => { browser = await Browser.start({ height: 1300 }); });
  after(() => browser?.stop());

  test('opens without a complaint, and leaves a screenshot to look at', async () => {
    const expected = JSON.parse(readFileSync(join(fixtures, 'expected.json'), 'utf8')).files;
    const files = readdirSync(fixtures).filter((name) => expected[name]);
    assert.ok(files.length >= 40);
    for (const name of files) {
      const reads = readFileSync(join(fixtures, name), 'utf8').startsWith('{"format"') ? [] : ['--reads', expected[name].reads];
      const { url } = reportOf(join(fixtures, name), name, ...reads);
      await open(browser, url);
      const verdict = { holds: 'Holds', breaks: 'Violated' }[expected[name].verdict] ?? 'Unknown';
      assert.match(await browser.run(TEXT, 'h1'), new RegExp(verdict), name);
      assert.deepEqual(await browser.complaints(), [], name);
      assert.ok(await browser.run('return document.querySelectorAll(".row").length') > 0, name);
      await browser.screenshot(join(shots, `${name}.png`));
    }
  });
});
