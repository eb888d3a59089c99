// What must be true when everything has come to its end: nothing is live, nothing is claimed but results and pins, no file is left over,
// and every dataset says what its definition says.
import type { ActionRow, DatasetRow } from '../../src/core/rows.ts';
import type { Garbage } from '../../src/engine/collect-garbage.ts';
import type { MemoryStorage } from '../../src/storage/memory.ts';
import { valueText } from '../engine/task-language.ts';
import { type Invariants, Violation } from './invariants.ts';
import type { Machine } from './simulated-process.ts';

export async function checkEnd(machine: Machine, invariants: Invariants, _: Garbage): Promise<void> {
  const { store, storage } = machine;
  const { view } = store;
  await invariants.check();
  const runs = await view.listRuns({ limit: 10_000 });
  const actions: ActionRow[] = [];
  for (const run of runs) actions.push(...(await view.actionsOfRun(run.id)));
  for (const run of runs)
    if (run.endedAt === null) throw new Violation('I7 every run ends', `run ${run.id} is ${run.state}`);
  for (const action of actions)
    if (!ended.has(action.state))
      throw new Violation('I7 every action ends', `${action.id} is ${action.state}`);
  const ids = [...new Set(actions.flatMap((action) => action.datasetId ?? []))];
  const datasets = await view.datasets(ids);
  await checkClaims(machine, ids);
  await checkStored(storage, datasets, invariants);
  await checkDisk(storage, datasets);
  await checkResults(machine, invariants, actions);
}

const ended: ReadonlySet<string> = new Set(['FINISHED', 'REUSED', 'SKIPPED', 'FAILED', 'KILLED']);
const atRest: ReadonlySet<string> = new Set(['STORED', 'LEAF', 'DELETED']);

async function checkClaims({ store }: Machine, ids: readonly number[]): Promise<void> {
  for (const edge of await store.view.edgesOn(ids)) {
    if (edge.holder === 'run' || edge.holder === 'pin') continue;
    throw new Violation(
      'no claim leaks',
      `${edge.holder} ${edge.holderId} still has dataset ${edge.datasetId}`,
    );
  }
}

async function checkStored(
  storage: MemoryStorage,
  datasets: readonly DatasetRow[],
  { removedByHand }: Invariants,
): Promise<void> {
  for (const row of datasets) {
    if (!atRest.has(row.state)) throw new Violation('datasets come to rest', `${row.id} is ${row.state}`);
    if (row.state === 'DELETED' || removedByHand.has(row.location as string)) continue;
    const expected = { sizeBytes: row.sizeBytes as number, digest: row.digest as string };
    const found = await storage.inspect(row.location as string, expected, 'contents');
    if (found !== 'intact') throw new Violation('I3 files have the recorded digest', `${row.id} is ${found}`);
  }
}

async function checkDisk(storage: MemoryStorage, datasets: readonly DatasetRow[]): Promise<void> {
  const known = new Set(datasets.filter(({ state }) => state !== 'DELETED').map(({ location }) => location));
  for await (const location of storage.locations())
    if (!known.has(location)) throw new Violation('no orphan files', `${location} belongs to nobody`);
  for await (const key of storage.attempts())
    if (storage.scratch(key).length > 0)
      throw new Violation('no orphan files', `${key} left ${storage.scratch(key).join()}`);
}

/** A run that succeeded has its results, and they say what they should. */
async function checkResults(
  { store, storage }: Machine,
  { removedByHand }: Invariants,
  actions: readonly ActionRow[],
): Promise<void> {
  const runs = new Map((await store.view.listRuns({ limit: 10_000 })).map((run) => [run.id, run]));
  for (const action of actions) {
    const run = runs.get(action.runId);
    if (run?.state !== 'SUCCEEDED' || action.datasetId === null) continue;
    const [row] = await store.view.datasets([action.datasetId]);
    if (!row?.location || row.state === 'DELETED' || removedByHand.has(row.location)) continue;
    const text = storage.read(`${storage.path(row.location)}/data`);
    if (text !== valueText(row.value))
      throw new Violation('a dataset says what was recorded', `${row.id} says ${text}, not ${row.value}`);
    const op = (JSON.parse(action.node) as { spec: { op: string } }).spec.op;
    if (text !== undefined && !op.startsWith('const:') && !text.startsWith(op.replace(/'$/, "'")))
      throw new Violation('a dataset is what its action makes', `${action.key} (${op}) got ${text}`);
  }
}
