// A real workload of 500 actions under a budget of a tenth of what it would store: measured on the disk, datasets never take more than the
// budget and the working set of running actions; no run fails; every result has the bytes that it has without a budget.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { realHistory, runHistory } from '../../src/cli/laboratory/run-history.ts';
import { ownedActionStates } from '../../src/core/machines/action.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { datasetCount, type History } from '../../src/lab/history.ts';
import { generateHistory } from '../../src/lab/history-source.ts';
import { planReplay } from '../../src/lab/replay-plan.ts';
import { openStore } from '../../src/store/store.ts';

interface Sample {
  readonly diskBytes: number;
  readonly allowedBytes: number;
}

test('500 real actions within a tenth of the space: no more than the budget and what runs, nothing fails, equal bytes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'varve-holds-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const generated = generateHistory({ family: 'zipf', seed: 11, parameters: { actions: 500 } });
  const mean = generated.sizeBytes.reduce((sum, bytes) => sum + bytes, 0) / datasetCount(generated);
  const history = realHistory(generated, 20_000 / mean);
  assert.ok(datasetCount(history) >= 500);
  const budgetBytes = Math.floor(planReplay(history).footprintBytes / 10);

  const samples: Sample[] = [];
  const problems: unknown[] = [];
  let sampling = true;
  let watching: Promise<void> | undefined;
  const common = { algorithm: 'hamr', decide: 'during-runs', timeScale: 0, launcher: 'sh' } as const;
  const within = await runHistory(history, {
    ...common,
    folder: join(folder, 'within'),
    budgetBytes,
    highMark: 0.9,
    lowMark: 0.8,
    onProblem: (error) => problems.push(error),
    onOpen(engine) {
      watching = (async () => {
        let lastLook = Date.now();
        while (sampling) {
          const began = Date.now();
          samples.push(
            await sample(engine, history, join(folder, 'within', 'datasets'), budgetBytes, lastLook),
          );
          lastLook = began;
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
      })();
    },
    async onRun(done, total) {
      if (done < total) return;
      sampling = false;
      await watching;
    },
  });
  const unlimited = await runHistory(history, {
    ...common,
    folder: join(folder, 'unlimited'),
    budgetBytes: Number.MAX_SAFE_INTEGER,
  });

  assert.deepEqual(problems, []);
  assert.equal(within.runs.length, unlimited.runs.length);
  const over = samples.filter(({ diskBytes, allowedBytes }) => diskBytes > allowedBytes);
  assert.deepEqual(over, [], `of ${samples.length} samples`);
  assert.ok(within.totalSeconds > unlimited.totalSeconds, 'something was computed again');
  assert.deepEqual(await results(join(folder, 'within')), await results(join(folder, 'unlimited')));
  const most = Math.max(...samples.map(({ diskBytes }) => diskBytes));
  t.diagnostic(
    `${datasetCount(history)} datasets, budget ${budgetBytes}, at most ${most} bytes in ${samples.length} samples, ` +
      `${within.runs.reduce((sum, run) => sum + run.computed.length, 0)} actions computed in ${within.elapsedSeconds.toFixed(1)} s ` +
      `(unlimited: ${unlimited.elapsedSeconds.toFixed(1)} s)`,
  );
});

/** What is on the disk outside results, against the budget and what the actions in hand read and write. */
async function sample(
  { context }: Engine,
  history: History,
  root: string,
  budgetBytes: number,
  /** What has ended since then may not have been cleared away. */
  lastLook: number,
): Promise<Sample> {
  const { view } = context.store;
  const bytesOf = new Map(history.labels.map((label, d) => [label, history.sizeBytes[d]!]));
  const working = new Set<string>();
  const look = async (): Promise<void> => {
    for (const runId of await view.liveRuns()) {
      const actions = await view.actionsOfRun(runId);
      const running = actions.filter(
        (action) =>
          (ownedActionStates as readonly string[]).includes(action.state) ||
          (action.endedAt ?? 0) >= lastLook - 20,
      );
      for (const action of running) working.add(action.key);
      const edges = await view.edgesOf(
        'action',
        running.map((action) => action.id),
      );
      for (const row of await view.datasets(edges.flatMap((edge) => edge.datasetId ?? [])))
        working.add(row.name);
    }
  };
  await look();
  const leaves = new Set(
    (await view.listDatasets({ states: ['LEAF'], limit: 100_000 })).map((row) => row.location),
  );
  const diskBytes = measure(root, leaves);
  await look();
  let allowedBytes = budgetBytes;
  for (const label of working) allowedBytes += bytesOf.get(label) ?? 0;
  return { diskBytes, allowedBytes };
}

/** Bytes of all published datasets but the given ones, of what is being removed, and of all outputs that are being written. */
function measure(root: string, without: ReadonlySet<string | null>): number {
  let bytes = treeBytes(join(root, 'trash'));
  for (const prefix of list(join(root, 'datasets'))) {
    for (const name of list(join(root, 'datasets', prefix))) {
      if (!without.has(`${prefix}/${name}`)) bytes += treeBytes(join(root, 'datasets', prefix, name));
    }
  }
  for (const name of list(join(root, 'attempts'))) bytes += treeBytes(join(root, 'attempts', name, 'out'));
  return bytes;
}

function treeBytes(path: string): number {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) return 0;
  if (!entry.isDirectory()) return entry.size;
  return list(path).reduce((sum, name) => sum + treeBytes(join(path, name)), 0);
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The bytes of every result by label. */
async function results(folder: string): Promise<Map<string, string>> {
  const store = await openStore(join(folder, 'store.db'));
  try {
    const rows = await store.view.listDatasets({ states: ['LEAF'], limit: 100_000 });
    return new Map(
      rows
        .map((row): [string, string] => [
          row.name,
          readFileSync(join(folder, 'datasets', 'datasets', row.location as string, 'data'), 'latin1'),
        ])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  } finally {
    await store.close();
  }
}
