// The store on both databases at three sizes, and well-known job queues on the same PostgreSQL in the same run:
// `npm run bench -- store [--sizes 10000,100000,1000000]`. Everything is done in batches of 20 by one process; medians of several
// rounds count, and the ratio to the faster peer is what is claimed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';
import type { Store } from '../src/core/ports/store.ts';
import { openStore } from '../src/store/store.ts';

const sizesWord = process.argv[process.argv.indexOf('--sizes') + 1];
const sizes =
  process.argv.includes('--sizes') && sizesWord
    ? sizesWord.split(',').map(Number)
    : [10_000, 100_000, 400_000];
const batch = 20;
const rounds = 40;
const work = mkdtempSync(join(tmpdir(), 'varve-bench-store-'));
const peers = join(import.meta.dirname, 'peers');

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

const perSecond = (count: number, ms: number): number => (count / ms) * 1000;
const shown = (value: number): string => Math.round(value).toLocaleString('en').padStart(9);

/** How many of `each` a step does per second: the median over rounds. */
async function rate(count: number, step: (round: number) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = -3; round < rounds; round += 1) {
    const started = performance.now();
    await step(round);
    if (round >= 0) times.push(performance.now() - started);
  }
  return perSecond(count, median(times));
}

const signature = (i: number): string =>
  (i * 2654435761).toString(16).padStart(16, '0').repeat(4).slice(0, 64);

/** A store with `size` actions, of which some are READY, and as many datasets. */
async function fill(store: Store, size: number): Promise<void> {
  const readyCount = Math.min(size, 5000);
  const part = 20_000;
  for (let start = 0; start < size; start += part) {
    const count = Math.min(part, size - start);
    await store.write(async (tx) => {
      const actionId = await tx.nextIds('action', count);
      const datasetId = await tx.nextIds('dataset', count);
      const indices = Array.from({ length: count }, (_, i) => i);
      await tx.insertActions(
        indices.map((i) => ({
          id: actionId + i,
          state: start + i < readyCount ? 'READY' : 'REUSED',
          runId: 1,
          key: String(start + i),
          name: 'bench',
          type: 'command-line',
          node: '{}',
          expands: 0,
          result: 0,
          grownFrom: null,
          grown: null,
          datasetId: datasetId + i,
          signature: signature(start + i),
          priority: 0,
          rank: start + i,
          attempts: 0,
          lost: 0,
          cancelRequested: 0,
          reason: '{"code":"NEVER_COMPUTED"}',
          error: null,
          createdAt: 1,
          readyAt: 1,
          startedAt: null,
          endedAt: null,
        })),
      );
      await tx.insertDatasets(
        indices.map((i) => ({
          id: datasetId + i,
          state: 'TO_STORE',
          signature: signature(start + i),
          realm: 'shared',
          isCurrent: 1,
          definition: '[]',
          physical: null,
          inputs: null,
          node: '',
          name: 'bench',
          producerId: actionId + i,
          sameAs: null,
          managed: 1,
          keep: 'auto',
          location: null,
          sizeBytes: null,
          fileCount: null,
          digest: null,
          value: null,
          computeMs: null,
          cpuMs: null,
          uses: 0,
          nondeterministic: 0,
          removalBeganAt: null,
          createdAt: 1,
          storedAt: null,
          usedAt: null,
          deletedAt: null,
          deletedReason: null,
        })),
      );
    });
  }
}

async function measure(name: string, store: Store, size: number): Promise<{ claims: number; done: number }> {
  await fill(store, size);
  const taken: { id: number; fence: number }[][] = [];
  const claims = await rate(batch, async () => {
    const lease = { owner: 'bench', now: 10, until: 1e15, limit: batch };
    taken.push(await store.write((tx) => tx.takeActions(lease), { durable: false }));
  });
  const transitions = await rate(batch, async () => {
    const moves = (taken.pop() ?? []).map(({ id, fence }) => ({ id, fence, set: { endedAt: 20 } }));
    await store.write((tx) => tx.move('action', 'finish', moves, { actor: 'bench', at: 20 }));
  });
  const lookups = await rate(batch, async (round) => {
    const wanted = Array.from({ length: batch }, (_, i) =>
      signature(((round + 3) * 7919 + i * 104_729) % size),
    );
    await store.view.datasetFacts(wanted, ['shared']);
  });
  console.log(
    `${name.padEnd(12)}${size.toLocaleString('en').padStart(10)}${shown(claims)}${shown(transitions)}${shown(lookups)}`,
  );
  // Both for each action, one after the other.
  return { claims, done: 1 / (1 / claims + 1 / transitions) };
}

/** Installs the peers into a folder of their own. */
function peer(name: string): string | undefined {
  if (!existsSync(join(peers, 'node_modules', name))) {
    mkdirSync(peers, { recursive: true });
    try {
      // Both at once: what is not saved is removed by the next install.
      execFileSync('npm', ['install', '--prefix', peers, '--no-save', 'graphile-worker', 'pg-boss'], {
        stdio: 'ignore',
      });
    } catch {
      console.log(`${name}: not to be had here`);
      return undefined;
    }
  }
  return pathToFileURL(createRequire(join(peers, 'package.json')).resolve(name)).href;
}

async function freshDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** pg-boss hands out a batch of jobs per call, as the store does. */
async function pgBoss(server: string): Promise<number | undefined> {
  const address = peer('pg-boss');
  if (!address) return undefined;
  const module = (await import(address)) as Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: the peer's types are not installed with the project
  const Boss = (module.PgBoss ?? module.default) as any;
  const boss = new Boss(await freshDatabase(server, 'bench_boss'));
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('bench');
  for (let i = 0; i < (rounds + 3) * batch; i += 1) await boss.send('bench', { i });
  const claims = await rate(batch, async () => {
    await boss.fetch('bench', { batchSize: batch });
  });
  await boss.stop({ graceful: false });
  return claims;
}

/** graphile-worker takes jobs one by one or in a local queue; its own function for a batch is what is called here. */
async function graphileWorker(server: string): Promise<number | undefined> {
  const address = peer('graphile-worker');
  if (!address) return undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the peer's types are not installed with the project
  const worker = (await import(address)) as any;
  const url = await freshDatabase(server, 'bench_graphile');
  const utils = await worker.makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  const jobs = 3000;
  await utils.addJobs(Array.from({ length: jobs }, (_, i) => ({ identifier: 'bench', payload: { i } })));
  await utils.release();
  let done = 0;
  const started = performance.now();
  let ended = started;
  const finished = Promise.withResolvers<void>();
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on('error', () => {});
  const runner = await worker.run({
    pgPool: pool,
    // As its documentation advises for throughput: a local queue and completions in batches.
    preset: {
      worker: {
        concurrentJobs: batch,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    logger: new worker.Logger(() => () => {}),
    taskList: {
      bench: () => {
        done += 1;
        if (done === jobs) {
          ended = performance.now();
          finished.resolve();
        }
      },
    },
  });
  await finished.promise;
  await runner.stop();
  await pool.end();
  return perSecond(jobs, ended - started);
}

try {
  console.log(
    `${'database'.padEnd(12)}${'rows'.padStart(10)} claims/s  moves/s look-ups/s   (batches of ${batch})`,
  );
  for (const size of sizes) {
    const store = await openStore(join(work, `store-${size}.db`));
    await measure('SQLite', store, size);
    await store.close();
  }
  const server = await startPrivatePostgres({ durable: true });
  if (!server) console.log('PostgreSQL is not installed: its part is left out');
  else {
    let ours = { claims: 0, done: 0 };
    for (const size of sizes) {
      const store = await openStore(await freshDatabase(server.url, `bench_${size}`));
      ours = await measure('PostgreSQL', store, size);
      await store.close();
    }
    const rivals: [string, number | undefined, number][] = [
      ['pg-boss, jobs fetched', await pgBoss(server.url), ours.claims],
      ['graphile-worker, jobs done', await graphileWorker(server.url), ours.done],
    ];
    for (const [name, value, own] of rivals) {
      if (value !== undefined)
        console.log(
          `${name.padEnd(28)}${shown(value)} /s; varve ${shown(own)} /s, ${(own / value).toFixed(2)} ×`,
        );
    }
    await server.stop();
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
