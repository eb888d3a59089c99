// Runs one part in a process of its own, shows what it prints, and keeps that as its result if it does not write points itself.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineFacts } from './machine.ts';
import type { Part } from './parts.ts';
import { type PrintedResult, resultsFolder } from './results.ts';

const bench = join(import.meta.dirname, '..');

/** Runs a part; false when it did not succeed. */
export function runPart({ name, title, points }: Part, args: readonly string[]): boolean {
  console.log(`\n== ${name}: ${title}`);
  const began = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [join(bench, `${name}.ts`), ...args], {
    stdio: ['ignore', points ? 'inherit' : 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (!points) process.stdout.write(stdout ?? '');
  console.log(
    `== ${name}: ${status === 0 ? 'ok' : 'FAILED'}, ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  if (!points && status === 0) {
    const result: PrintedResult = {
      part: name,
      title,
      command: ['npm run bench --', name, ...args].join(' '),
      measuredAt: new Date().toISOString(),
      machine: machineFacts(),
      printed: (stdout ?? '').trimEnd().split('\n'),
    };
    mkdirSync(resultsFolder, { recursive: true });
    writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
  }
  return status === 0;
}
