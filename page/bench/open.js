// How long a report takes to open and an event to be selected, in a headless Chromium, and how large the
// file is:
//
//   PAGE_PROGRAM=build/release/harness/cli/causalcheck node page/bench/open.js [EVENTS...]
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '../test/browser/driver.js';
import { causalcheck, folder, reportOf } from '../test/browser/reports.js';

const TRIES = 5;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// A selection as a key makes it, until the browser has drawn it.
const SELECT = `
  const done = arguments[arguments.length - 1];
  const app = window.causalcheck;
  const row = Math.floor(app.shown.rows.length * arguments[0]);
  app.focus(row, true);
  requestAnimationFrame(() => setTimeout(() => {
    const begin = performance.now();
    app.select(row);
    document.body.offsetHeight;
    const work = performance.now() - begin;
    requestAnimationFrame(() => setTimeout(() => done([work, performance.now() - begin]), 0));
  }, 0));`;

const counts = process.argv.slice(2).map(Number);
console.log('events      file      until drawn   select   select, until drawn');
for (const events of counts.length > 0 ? counts : [10000, 100000]) {
  const history = join(folder, `bench-${events}.jsonl`);
  causalcheck('fuzz', 'planted:stale-follower', '--seed', '3', '--events', String(events), '--clients', '5', '--topics', '2',
    '--shrink-time', '0', '--out', join(folder, 'bench-out'), '--history', history);
  const { file, url } = reportOf(history, `bench-${events}`);
  const opens = [];
  const works = [];
  const draws = [];
  for (let i = 0; i < TRIES; ++i) {
    const browser = await Browser.start();
    try {
      await browser.go(url);
      opens.push(await browser.run('return performance.getEntriesByName("causalcheck-ready")[0].startTime'));
      const [work, drawn] = await browser.runAsync(SELECT, (i + 1) / (TRIES + 1));
      works.push(work);
      draws.push(drawn);
    } finally {
      await browser.stop();
    }
  }
  const size = (statSync(file).size / 1e6).toFixed(2);
  console.log(`${String(events).padEnd(9)} ${size.padStart(5)} MB ${median(opens).toFixed(0).padStart(10)} ms ` +
    `${median(works).toFixed(1).padStart(8)} ms ${median(draws).toFixed(1).padStart(8)} ms`);
}
