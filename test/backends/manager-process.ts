// A process that owns a local back-end, to be killed by a test: submits the jobs of a JSON file, says `submitted` on
// standard output and then `ended <key>` for each end. `startManager` is the test's side.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createLocalBackend } from '../../src/backends/local/local-backend.ts';
import type { BackendJob } from '../../src/core/ports/backend.ts';
import type { LauncherKind } from './local-world.ts';

interface Orders {
  readonly launcher: LauncherKind;
  readonly cores: number;
  readonly cacheDirectory: string;
  readonly jobs: readonly BackendJob[];
}

export interface Manager {
  readonly process: ChildProcess;
  readonly ended: string[];
  /** Resolves when all jobs are handed over. */
  readonly submitted: Promise<void>;
  /** Kills it, without a chance to say anything. */
  kill(): Promise<void>;
}

export function startManager(root: string, orders: Orders): Manager {
  const file = join(root, `orders-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(file, JSON.stringify(orders));
  const child = spawn(process.execPath, [import.meta.filename, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended: string[] = [];
  const { promise: submitted, resolve } = Promise.withResolvers<void>();
  const exited = once(child, 'exit');
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (line === 'submitted') resolve();
    else ended.push(line.split(' ')[1]!);
  });
  return {
    process: child,
    ended,
    submitted,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const { jobs, ...orders } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Orders;
  const events = { started() {}, ended: (key: string) => void process.stdout.write(`ended ${key}\n`) };
  const backend = createLocalBackend({ ...orders, events });
  await Promise.all(jobs.map((job) => backend.submit(job)));
  process.stdout.write('submitted\n');
}
