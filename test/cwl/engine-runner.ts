// Runs lowered CWL workflows on the real engine: SQLite, local storage, local processes, in a home folder of their own.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalBackend } from '../../src/backends/local/local-backend.ts';
import { VarveError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { InputDataset } from '../../src/core/ports/action-type.ts';
import type { ActionRow, DatasetRow } from '../../src/core/rows.ts';
import type { WorkflowDefinition } from '../../src/core/workflow.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { submitRun } from '../../src/engine/submit-run.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import {
  type CwlActionOptions,
  cwlActionTypes,
  outputsKey,
  runOutputs,
} from '../../src/languages/cwl/index.ts';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { openStore } from '../../src/store/store.ts';

export interface EngineRun {
  readonly outputs: JsonObject;
  /** How many actions ended in each state, without those that only grew. */
  readonly states: Readonly<Record<string, number>>;
  readonly actions: readonly ActionRow[];
}

export interface EngineHome {
  run(workflow: WorkflowDefinition): Promise<EngineRun>;
  close(): Promise<void>;
}

export async function openEngine(home: string, options: CwlActionOptions = {}): Promise<EngineHome> {
  mkdirSync(home, { recursive: true });
  const store = await openStore(`sqlite:${join(home, 'varve.db')}`);
  const storage = openLocalStorage({ root: join(home, 'storage') });
  const engine = createEngine({
    store,
    storage,
    actionTypes: cwlActionTypes({ path: process.env.PATH, ...options }),
    clock: systemClock,
    owner: `test:${process.pid}:${randomUUID()}`,
    randomText: () => randomUUID().slice(0, 6),
    programVersion: 'test',
  });
  await engine.start((events) => createLocalBackend({ cacheDirectory: join(home, 'cache'), events }));
  const { view } = store;

  const inputOf = (row: DatasetRow, slot: string, position: string): InputDataset => ({
    slot,
    position,
    path: row.location === null ? '' : storage.path(row.location),
    digest: row.digest ?? '',
    value: row.value === null ? null : (JSON.parse(row.value) as Json),
  });

  return {
    async run(workflow) {
      const submission = {
        workflow,
        userName: 'test',
        realm: 'shared',
        readable: ['shared'],
        submissionKey: randomUUID(),
      };
      const { runId } = await submitRun(engine.context, submission);
      for (;;) {
        const [run] = await view.runs([runId]);
        if (run?.endedAt != null) break;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const actions = await view.actionsOfRun(runId);
      const failed = actions.find((action) => action.state === 'FAILED');
      if (failed !== undefined) {
        const error = JSON.parse(failed.error ?? '{}') as { code?: string; message?: string };
        throw new VarveError('failed', error.code ?? 'UNKNOWN', `${failed.key}: ${error.message}`);
      }
      const key = workflow.nodes.some((node) => node.key === outputsKey)
        ? outputsKey
        : workflow.nodes[0]!.key;
      const action = actions.find((one) => one.key === key)!;
      const [own] = await view.datasets([action.datasetId!]);
      const lineage = await view.parentsOf([own!.id]);
      const parents = new Map(
        (await view.datasets(lineage.map((one) => one.parentId))).map((row) => [row.id, row]),
      );
      const inputs = lineage.map((one) => inputOf(parents.get(one.parentId)!, one.slot, one.position));
      const states: Record<string, number> = {};
      for (const one of actions) states[one.state] = (states[one.state] ?? 0) + 1;
      return {
        outputs: runOutputs(JSON.parse(own!.value!) as Json, inputOf(own!, '', ''), inputs),
        states,
        actions,
      };
    },
    async close() {
      await engine.stop();
      await storage.close();
      await store.close();
    },
  };
}
