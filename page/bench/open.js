// How long a report takes to open and an event to be selected, in a headless Chromium, and how large the
// file is:
//
// "work" is what the page's own thread did meanwhile, in processor time: on a busy machine the other
// figures are about its other work, too.
//
//   PAGE_PROGRAM=build/release/harness/cli/causalcheck node page/bench/open.js [EVENTS...]
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '../test/browser/driver.js';
import { causalcheck, folder, reportOf } from '../test/browser/reports.js';

const TRIES = 5;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const FOCUS = `
  const done = arguments[1];
  const app = window.causalcheck;
  app.focus(Math.floor(app.shown.rows.length * arguments[0]), true);
  requestAnimationFrame(() => setTimeout(done, 0));`;

// A selection as a key makes it, until the browser has drawn it.
const SELECT = `
  const done = arguments[0];
  const begin = performance.now();
  window.causalcheck.select(window.causalcheck.active);
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin), 0));`;

/** Processor seconds that the page's thread spent on tasks, since metrics were enabled. */
async function worked(browser) {
  const { metrics } = await browser.command('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value;
}

const counts = process.argv.slice(2).map(Number);
console.log('events       file   open: drawn      work   select: drawn      work');
for (const events of counts.length > 0 ? counts : [10000, 100000]) {
  const history = join(folder, `bench-${events}.jsonl`);
  causalcheck('fuzz', 'planted:stale-follower', '--seed', '3', '--events', String(events), '--clients', '5', '--topics', '2',
    '--shrink-time', '0', '--out', join(folder, 'bench-out'), '--history', history);
  const { file, url } = reportOf(history, `bench-${events}`);
  const opens = [];
  const openWorks = [];
  const draws = [];
  const selectWorks = [];
  for (let i = 0; i < TRIES; ++i) {
    const browser = await Browser.start();
    try {
      await browser.command('Performance.enable', { timeDomain: 'threadTicks' });
      await browser.go(url);
      openWorks.push(1000 * await worked(browser));
      opens.push(await browser.run('return performance.getEntriesByName("causalcheck-ready")[0].startTime'));
      await browser.runAsync(FOCUS, (i + 1) / (TRIES + 1));
      const before = await worked(browser);
      draws.push(await browser.runAsync(SELECT));
      selectWorks.push(1000 * (await worked(browser) - before));
    } finally {
      await browser.stop();
    }
  }
  const size = (statSync(file).size / 1e6).toFixed(2);
  const ms = (values, width) => `${median(values).toFixed(0).padStart(width)} ms`;
  console.log(`${String(events).padEnd(9)} ${size.padStart(5)} MB ${ms(opens, 9)} ${ms(openWorks, 7)} ` +
    `${ms(draws, 12)} ${ms(selectWorks, 7)}`);
}
