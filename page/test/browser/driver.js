// A headless Chromium, driven over the WebDriver protocol of its own chromedriver: plain HTTP, no
// packages.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const KEY = {
  enter: '\uE007', escape: '\uE00C', up: '\uE013', down: '\uE015', left: '\uE012', right: '\uE014',
};

const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage', '--force-color-profile=srgb', '--allow-file-access-from-files=0',
];

export class Browser {
  /** `options`: scripts (false: off), dark, width, height. */
  static async start({ scripts = true, dark = false, width = 1280, height = 900 } = {}) {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), 'causalcheck-browser-'));
    browser.process = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const port = await new Promise((resolve, reject) => {
      let text = '';
      browser.process.stdout.on('data', (bytes) => {
        text += bytes;
        const found = /started successfully on port (\d+)/.exec(text);
        if (found) resolve(found[1]);
      });
      browser.process.on('exit', () => reject(new Error(`chromedriver ended: ${text}`)));
    });
    browser.base = `http://127.0.0.1:${port}`;
    const chrome = {
      args: [...ARGUMENTS, `--user-data-dir=${browser.profile}`, `--window-size=${width},${height}`,
        ...(dark ? ['--force-dark-mode', '--blink-settings=preferredColorScheme=0'] : [])],
      prefs: scripts ? {} : { 'profile.managed_default_content_settings.javascript': 2 },
    };
    const session = await browser.call('POST', '/session', {
      capabilities: { alwaysMatch: {
        browserName: 'chrome', 'goog:chromeOptions': chrome, 'goog:loggingPrefs': { performance: 'ALL', browser: 'ALL' },
      } },
    });
    browser.base += `/session/${session.sessionId}`;
    return browser;
  }

  async call(method, path, body) {
    const answer = await fetch(this.base + path, {
      method, body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async stop() {
    await this.call('DELETE', '').catch(() => {}); // it may be gone already
    this.process.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  go(url) { return this.call('POST', '/url', { url }); }

  /** Runs the body of a function in the page and gives what it returns. */
  run(script, ...args) { return this.call('POST', '/execute/sync', { script, args }); }

  /** The same for a body that calls its last argument when it is done. */
  runAsync(script, ...args) { return this.call('POST', '/execute/async', { script, args }); }

  async type(...keys) {
    const actions = keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
    await this.call('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  async click(selector) {
    const element = await this.call('POST', '/element', { using: 'css selector', value: selector });
    await this.call('POST', `/element/${Object.values(element)[0]}/click`, {});
  }

  async screenshot(file) {
    writeFileSync(file, Buffer.from(await this.call('GET', '/screenshot'), 'base64'));
  }

  /** The page printed, as the bytes of a PDF. */
  async print() { return Buffer.from(await this.call('POST', '/print', {}), 'base64'); }

  command(cmd, params = {}) { return this.call('POST', '/goog/cdp/execute', { cmd, params }); }

  /** Everything the page asked the network (or the disk) for since the last call. */
  async requests() {
    const entries = await this.call('POST', '/se/log', { type: 'performance' });
    return entries.map(({ message }) => JSON.parse(message).message)
      .filter(({ method }) => method === 'Network.requestWillBeSent')
      .map(({ params }) => params.request.url);
  }

  /** What the console complained about since the last call. */
  async complaints() {
    const entries = await this.call('POST', '/se/log', { type: 'browser' });
    return entries.map(({ message }) => message);
  }
}
