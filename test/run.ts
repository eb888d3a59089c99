// The test command: runs every `*.test.ts` below `test/` (or those whose path contains one of the arguments) in parallel
// processes, and closes with one line that counts what passed, failed and was skipped. Skips are listed loudly. One private
// PostgreSQL serves all files of the run, when it is installed and VARVE_TEST_POSTGRES names no other.
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import type { EventData } from 'node:test';
import { run } from 'node:test';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';

const wanted = process.argv.slice(2);
const files = globSync('test/**/*.test.ts').filter(
  (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
);
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(' ')}`);
  process.exit(2);
}

// Starting a server takes a second: a run of a few unit tests does without.
const needsPostgres =
  wanted.length === 0 || files.some((file) => readFileSync(file, 'utf8').includes('postgres.ts'));
const postgres =
  needsPostgres && !process.env.VARVE_TEST_POSTGRES
    ? await startPrivatePostgres({ durable: false })
    : undefined;
if (postgres) process.env.VARVE_TEST_POSTGRES = postgres.url;

const counts = { passed: 0, failed: 0 };
const skipped: string[] = [];
const started = performance.now();
const stream = run({ files, concurrency: Math.max(2, availableParallelism()), timeout: 15 * 60_000 });

const durations = new Map<string, number>();
stream.on('test:complete', (data: EventData.TestComplete) => {
  const { file } = data;
  if (file !== undefined && data.nesting === 0)
    durations.set(file, (durations.get(file) ?? 0) + data.details.duration_ms);
});
stream.on('test:pass', (data: EventData.TestPass) => {
  if (data.details.type === 'suite' || files.includes(data.name)) return;
  if (data.skip !== undefined)
    skipped.push(`${data.name}: ${data.skip === true ? 'no reason given' : data.skip}`);
  else counts.passed += 1;
});
stream.on('test:fail', (data: EventData.TestFail) => {
  if (data.details.type === 'suite' && data.details.error.message.includes('subtest')) return;
  counts.failed += 1;
  const error = data.details.error;
  const cause =
    error.cause instanceof Error
      ? (error.cause.stack ?? error.cause.message)
      : String(error.cause ?? error.message);
  console.error(`\nFAILED ${data.file ?? ''} > ${data.name}\n${cause}\n`);
});
stream.on('test:stderr', (data: { message: string }) => process.stderr.write(data.message));
stream.on('end', async () => {
  await postgres?.stop();
  if (skipped.length > 0) {
    console.log(`\nSKIPPED ${skipped.length} tests:`);
    for (const [reason, count] of tally(skipped.map((text) => text.replace(/^.*?: /, ''))))
      console.log(`  ${count} × ${reason}`);
  }
  if (files.length > 10) {
    const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, 8);
    console.log('the slowest files:');
    for (const [file, ms] of slowest)
      console.log(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${relative(process.cwd(), file)}`);
  }
  console.log(`${files.length} files in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${skipped.length} skipped`);
  const forbidden = process.env.VARVE_TEST_NO_SKIP === '1' && skipped.length > 0;
  if (forbidden) console.error('skipped tests are not allowed here (VARVE_TEST_NO_SKIP=1)');
  process.exit(counts.failed > 0 || forbidden ? 1 : 0);
});
stream.resume();

function tally(reasons: readonly string[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const reason of reasons) counted.set(reason, (counted.get(reason) ?? 0) + 1);
  return counted;
}
