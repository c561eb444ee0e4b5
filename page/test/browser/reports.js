// Reports of recorded histories, made by the program under test.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = process.env.PAGE_PROGRAM;
if (!program) throw new Error('PAGE_PROGRAM must name the program causalcheck; ctest sets it');
export const fixtures = process.env.PAGE_FIXTURES;
export const shots = process.env.PAGE_SHOTS ?? mkdtempSync(join(tmpdir(), 'causalcheck-shots-'));
mkdirSync(shots, { recursive: true });
export const folder = mkdtempSync(join(tmpdir(), 'causalcheck-reports-'));

/** Runs the program; any exit code up to 2 is an answer. */
export function causalcheck(...args) {
  const ran = spawnSync(program, args, { encoding: 'utf8', cwd: folder, maxBuffer: 1 << 28 });
  if (ran.status === null || ran.status > 2) throw new Error(`causalcheck ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

/** The URL of the report of a history (a path). */
export function reportOf(history, name, ...args) {
  const file = join(folder, `${name}.html`);
  causalcheck('report', history, '-o', file, ...args);
  return { file, url: pathToFileURL(file).href };
}

export function historyOf(name, lines) {
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  return file;
}

/** The dinner of the docs: B asks, C answers, and A is shown the answer first. */
export const dinner = () => historyOf('dinner', [
  { format: 'causalcheck-history', version: 1, clients: ['A', 'B', 'C'], backend: { slots: 'sparse', reads: 'feed', level: 'causal' } },
  { client: 'B', op: 'write', topic: 'chat', msg: 'B1', slot: 1, outcome: 'ok', start: 1, end: 2 },
  { client: 'C', op: 'read', topic: 'chat', msg: 'B1', slot: 1, outcome: 'ok', start: 3, end: 4 },
  { client: 'C', op: 'write', topic: 'chat', msg: 'C2', slot: 2, outcome: 'ok', start: 5, end: 6 },
  { client: 'A', op: 'read', topic: 'chat', msg: 'C2', slot: 2, outcome: 'ok', start: 7, end: 8 },
  { client: 'A', op: 'read', topic: 'chat', msg: 'B1', slot: 1, outcome: 'ok', start: 9, end: 10 },
  { client: '_drain', op: 'read', topic: 'chat', msg: 'B1', slot: 1, outcome: 'ok', start: 11, end: 12 },
  { client: '_drain', op: 'read', topic: 'chat', msg: 'C2', slot: 2, outcome: 'ok', start: 13, end: 14 },
]);

export { execFileSync };
