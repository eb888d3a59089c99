// Job queues that take and finish the same number of empty jobs on one PostgreSQL: Varve's store and two well-known ones. The peers are
// installed into bench/peers by the benchmark itself; they are no dependencies of the project.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Store } from '../../src/core/ports/store.ts';
import { openStore } from '../../src/store/store.ts';
import { actionRow, epoch, runRow } from '../../test/store/rows.ts';

export interface JobQueue {
  readonly name: string;
  /** Puts `jobs` jobs in, then measures taking and finishing all of them; returns milliseconds. */
  round(jobs: number): Promise<number>;
  close(): Promise<void>;
}

const peers = join(import.meta.dirname, '..', 'peers');
export const batch = 20;
export const takers = 2;

const versions = { 'graphile-worker': '0.18.0', 'pg-boss': '12.35.0' };

/** Installs the peers if they are not there; false when that is not possible. */
export function installPeers(): boolean {
  if (Object.entries(versions).every(([name, version]) => installedVersion(name) === version)) return true;
  mkdirSync(peers, { recursive: true });
  writeFileSync(join(peers, 'package.json'), '{"private":true}\n');
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: peers, stdio: 'pipe' });
    return true;
  } catch (error) {
    console.error(String((error as { stderr?: Buffer }).stderr ?? error));
    return false;
  }
}

function installedVersion(name: string): string | undefined {
  const file = join(peers, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

async function timed(action: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

/** A taker is what a process of Varve is: it has the store opened for itself. */
export async function varveQueue(url: string): Promise<JobQueue> {
  const stores: Store[] = [];
  for (let i = 0; i < takers; i++) stores.push(await openStore(url));
  const by = { actor: 'bench', at: epoch };
  let run = 0;
  const worker = async (store: Store, i: number): Promise<void> => {
    for (;;) {
      const lease = { owner: `w${i}`, until: epoch + 60_000, now: epoch, limit: batch };
      // As the engine takes: a claim that a power failure forgets is simply made again.
      const rows = await store.write((tx) => tx.takeActions(lease), { durable: false });
      if (rows.length === 0) return;
      const moves = rows.map(({ id, fence }) => ({ id, fence, set: { endedAt: epoch } }));
      await store.write((tx) => tx.move('action', 'finish', moves, by));
    }
  };
  return {
    name: 'Varve',
    async round(jobs) {
      await stores[0]!.write(async (tx) => {
        const runId = await tx.nextIds('run', 1);
        const first = await tx.nextIds('action', jobs);
        await tx.insertRun(runRow(runId, { submissionKey: `bench-${++run}` }));
        await tx.insertActions(Array.from({ length: jobs }, (_, i) => actionRow(first + i, { runId })));
      });
      return timed(async () => {
        await Promise.all(stores.map(worker));
      });
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

interface PgBossLike {
  start(): Promise<unknown>;
  stop(options: object): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  insert(name: string, jobs: readonly object[]): Promise<unknown>;
  fetch(name: string, options: object): Promise<{ id: string }[]>;
  complete(name: string, ids: readonly string[]): Promise<unknown>;
}

export async function pgBossQueue(url: string): Promise<JobQueue> {
  const { PgBoss } = createRequire(join(peers, 'package.json'))('pg-boss') as {
    PgBoss: new (options: object) => PgBossLike;
  };
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bench');
  const worker = async (): Promise<void> => {
    for (;;) {
      const jobs = await boss.fetch('bench', { batchSize: batch });
      if (jobs.length === 0) return;
      await boss.complete(
        'bench',
        jobs.map((job) => job.id),
      );
    }
  };
  return {
    name: 'pg-boss',
    async round(jobs) {
      await boss.insert(
        'bench',
        Array.from({ length: jobs }, (_, i) => ({ data: { i } })),
      );
      return timed(async () => {
        await Promise.all(Array.from({ length: takers }, worker));
      });
    },
    close: async () => {
      await boss.stop({ graceful: false });
    },
  };
}

interface GraphileLike {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    withPgClient(
      body: (client: { query(sql: string, values?: unknown[]): Promise<unknown> }) => Promise<unknown>,
    ): Promise<unknown>;
    release(): Promise<void>;
  }>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => unknown;
}

export async function graphileQueue(url: string): Promise<JobQueue> {
  const graphile = createRequire(join(peers, 'package.json'))('graphile-worker') as GraphileLike;
  const logger = new graphile.Logger(() => () => {});
  const utils = await graphile.makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  return {
    name: 'graphile-worker',
    async round(jobs) {
      await utils.withPgClient((client) =>
        client.query(
          'select graphile_worker.add_jobs(array(select json_populate_record(null::graphile_worker.job_spec, \'{"identifier":"bench","payload":{}}\') from generate_series(1, $1)))',
          [jobs],
        ),
      );
      let left = jobs;
      const done = Promise.withResolvers<void>();
      const taskList = {
        bench: () => {
          if (--left === 0) done.resolve();
        },
      };
      const worker = {
        concurrentJobs: batch,
        localQueue: { size: batch },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        maxPoolSize: 10,
      };
      return timed(async () => {
        const runner = await graphile.run({
          preset: { worker: { connectionString: url, ...worker } },
          taskList,
          logger,
          noHandleSignals: true,
        });
        await done.promise;
        await runner.stop();
      });
    },
    close: () => utils.release(),
  };
}
