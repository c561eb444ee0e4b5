// What is built in is the modules and nothing else, and can be one script.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';

const page = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', '..');

/** The script and the style sheet as the program writes them, with the policy that names them. */
function built() {
  const text = execFileSync(process.env.PAGE_FACTS, ['--page'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return {
    policy: /Content-Security-Policy" content="([^"]*)"/.exec(text)[1],
    style: /<style>(.*?)<\/style>/s.exec(text)[1],
    script: /<script>(.*?)<\/script>/s.exec(text)[1],
  };
}

test('the script parses, and holds every module', () => {
  const { script } = built();
  new Script(script);
  for (const folder of ['model', 'view']) {
    for (const name of readdirSync(join(page, folder))) {
      const text = readFileSync(join(page, folder, name), 'utf8');
      for (const [, exported] of text.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)) {
        assert.match(script, new RegExp(`^(?:async )?(?:function|class|const) ${exported}\\b`, 'm'), `${name}: ${exported}`);
      }
    }
  }
  assert.ok(!/^(import|export) /m.test(script));
});

test('names are unique over all modules, since they share one scope', () => {
  const names = [...built().script.matchAll(/^(?:async )?(?:function|class|const|let) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});

test('the policy names the hashes of exactly this script and this sheet', () => {
  const { policy, script, style } = built();
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  assert.ok(policy.includes(`script-src ${hash(script)};`));
  assert.ok(policy.includes(`style-src ${hash(style)};`));
  assert.ok(policy.startsWith("default-src 'none';"));
});
