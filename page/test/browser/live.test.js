// The live view: `causalcheck serve`, watched in a real browser, and asked by those who may not.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Browser } from './driver.js';
import { causalcheck, fixtures, folder, shots } from './reports.js';

const TEXT = 'return document.querySelector(arguments[0])?.textContent ?? null';

/** Starts the program and waits for its address. */
async function serve(...args) {
  const child = spawn(process.env.PAGE_PROGRAM, ['serve', ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      const found = /(http:\/\/\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.on('exit', () => reject(new Error(`serve ended: ${text}`)));
  });
  return { url, child };
}

async function until(browser, script, ...args) {
  for (let i = 0; i < 300; ++i) {
    const value = await browser.run(script, ...args);
    if (value) return value;
    await new Promise((resolve) => { setTimeout(resolve, 30); });
  }
  throw new Error(`never: ${script}`);
}

/** What the server answers to a request with these headers. */
function ask(url, headers, method = 'GET', path = '/') {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer));
    });
    sent.on('upgrade', (answer, socket) => { socket.destroy(); resolve(answer); });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the 200 ms scenario', () => {
  let browser;
  let server;
  before(async () => {
    server = await serve('broadcast', '--scenario', join(fixtures, '..', 'scenarios', 'slow-path.json'));
    browser = await Browser.start({ height: 1300 });
    await browser.go(server.url);
    await until(browser, 'return window.causalcheck?.socket?.readyState === 1');
  });
  after(async () => {
    await browser?.stop();
    server?.child.kill();
  });

  test('shows a message that is held, by whom, and what it waits for', async () => {
    await until(browser, 'return document.querySelector(".log .message_held") !== null');
    assert.equal(await browser.run(TEXT, '.log .message_held'), 'message_held: m2 at P3, blocked by P1: needed 1, present 0');
    await browser.run('window.causalcheck.pause(true)');
    const card = await browser.run('return document.querySelector(".card.holding")?.textContent ?? null');
    if (card !== null) { // unless the delivery came before the pause
      assert.match(card, /^P3/);
      assert.match(card, /Holds 1 message, the oldest for \d+ records?:m2 waits for P1: needs 1, has 0/);
    }
    await browser.screenshot(join(shots, 'live-held.png'));
  });

  test('and that it is delivered, step by step', async () => {
    for (let i = 0; i < 60 && !(await browser.run('return window.causalcheck.live.ended')); ++i) {
      const told = await browser.run('return window.causalcheck.live.told');
      await browser.run('window.causalcheck.send({ do: "step" })');
      await until(browser, 'return window.causalcheck.live.told > arguments[0]', told);
    }
    assert.equal(await browser.run(TEXT, '.log .message_delivered'), 'message_delivered: m2 at P3, after m1');
    await until(browser, 'return /^✓ holds$/.test(document.querySelector("h1").textContent)');
    assert.equal(await browser.run('return document.querySelector(".card.holding")'), null);
    assert.match(await browser.run(TEXT, '.cards'), /P1 at P1\.2P1 2P2 2P3 0knows all that P2 did; concurrent with P3/);
    await browser.screenshot(join(shots, 'live-delivered.png'));
    assert.deepEqual(await browser.complaints(), []);
  });

  test('a scenario is not saved, and it is said why', async () => {
    await browser.run('window.causalcheck.send({ do: "save" })');
    await until(browser, 'return /Refused: a scenario is its own record/.test(document.body.textContent)');
  });

  test('what makes no sense is refused, and the run goes on', async () => {
    for (const text of ['no json', '[]', '{"do":1}', '{"do":"fly"}', '{"do":"open","seed":-1}', '{"do":"open","scenario":"../../etc/passwd"}', '{"do":"speed","value":"x"}', '{"do":"open","faults":["none such"]}']) {
      await browser.run('window.causalcheck.notice.textContent = ""; window.causalcheck.socket.send(arguments[0])', text);
      await until(browser, 'return window.causalcheck.notice.textContent.startsWith("Refused: ")');
    }
    assert.equal(await browser.run('return window.causalcheck.socket.readyState'), 1);
  });
});

describe('a run of a backend', () => {
  let browser;
  let server;
  before(async () => {
    server = await serve('planted:stale-follower', '--seed', '7', '--events', '20', '--out', join(folder, 'live-out'));
    browser = await Browser.start({ height: 1300 });
    await browser.go(server.url);
    await until(browser, 'return window.causalcheck?.socket?.readyState === 1');
  });
  after(async () => {
    await browser?.stop();
    server?.child.kill();
  });

  test('streams to its end, where the conflict is lit; what was watched can be saved and replayed', async () => {
    await browser.run('window.causalcheck.send({ do: "speed", value: 200 })');
    await until(browser, 'return window.causalcheck.live.ended && document.querySelector("h1").textContent === "✗ breaks"');
    assert.ok(await until(browser, 'return window.causalcheck.app.conflict !== null'));
    await until(browser, 'return window.causalcheck.app.activeOperation() === window.causalcheck.app.conflict.opensAt');
    await browser.screenshot(join(shots, 'live-broken.png'));
    await browser.run('window.causalcheck.send({ do: "save" })');
    await until(browser, 'return window.causalcheck.notice.textContent.startsWith("Saved.")');
    const saved = join(folder, 'live-out', 'planted_stale-follower-7');
    assert.ok(existsSync(join(saved, 'report.html')));
    assert.match(causalcheck('replay', saved), /identical history, byte for byte/);
  });

  test('another seed starts another run', async () => {
    await browser.run('window.causalcheck.seedBox.value = 8; window.causalcheck.open()');
    await until(browser, 'return /seed 8/.test(document.querySelector(".facts").textContent)');
    await until(browser, 'return window.causalcheck.live.ended');
  });

  test('only a page of ours, under its own address, is let in', async () => {
    const { host } = new URL(server.url);
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    assert.equal((await ask(server.url, { ...upgrade, Origin: 'http://evil.example' }, 'GET', '/live')).statusCode, 403);
    assert.equal((await ask(server.url, upgrade, 'GET', '/live')).statusCode, 403);
    assert.equal((await ask(server.url, { ...upgrade, Origin: 'null' }, 'GET', '/live')).statusCode, 403);
    assert.equal((await ask(server.url, { ...upgrade, Origin: `http://${host}` }, 'GET', '/live')).statusCode, 101);
    assert.equal((await ask(server.url, { Host: 'evil.example' })).statusCode, 403); // a name made to point here
    assert.equal((await ask(server.url, {}, 'POST')).statusCode, 405);
    assert.equal((await ask(server.url, {}, 'GET', '/../../etc/passwd')).statusCode, 404);
    assert.equal((await ask(server.url, {}, 'HEAD')).statusCode, 200);
    const page = await ask(server.url, {});
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers['x-frame-options'], 'DENY');
  });
});
