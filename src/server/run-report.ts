// What is said about a run: counts, time saved, results, failures.
import type { Output } from '../api/api.ts';
import type { JsonObject } from '../core/json.ts';
import type { StoreView } from '../core/ports/store.ts';
import { parseReason } from '../core/reason.ts';
import type { RunRow } from '../core/rows.ts';
import { resultsOfRun } from '../engine/run-results.ts';
import { type Caller, maySee, view } from './caller.ts';

type Detail = Output<'getRun'>;
type Counts = Detail['actions'];
type Report = Pick<
  Detail,
  'elapsedMs' | 'savedMs' | 'actions' | 'states' | 'outputs' | 'failures' | 'warnings' | 'compacted'
>;

const shownFailures = 20;

export async function reportRun(caller: Caller, run: RunRow): Promise<Report> {
  const store = view(caller);
  const [recorded] = await store.historyOfRuns([run.id]);
  const compacted = recorded?.compactedAt != null ? recorded : undefined;
  const counted = await countActions(store, run.id);
  const actions = compacted
    ? { ...counted, computed: compacted.computedCount, reused: compacted.reusedCount }
    : counted;
  return {
    elapsedMs: Math.max(0, (run.endedAt ?? Date.now()) - run.submittedAt),
    savedMs: compacted?.savedMs ?? (await store.savedMs(run.id)),
    actions,
    states: await countByState(store, run.id),
    outputs: await resultFiles(caller, run.id),
    failures: actions.failed > 0 ? await failures(store, run.id) : [],
    warnings: (await store.runNotes([run.id])).map((note) => note.text),
    compacted: compacted !== undefined,
  };
}

async function countByState(store: StoreView, runId: number): Promise<Record<string, number>> {
  return Object.fromEntries((await store.countActions(runId)).map(({ state, count }) => [state, count]));
}

/** Growing actions compute nothing, so they are not counted. */
async function countActions(store: StoreView, runId: number): Promise<Counts> {
  const counts = { computed: 0, reused: 0, joined: 0, skipped: 0, failed: 0, live: 0 };
  for (const { state, reason, expands, count } of await store.summarizeActions(runId)) {
    if (state === 'FAILED' || state === 'KILLED') counts.failed += count;
    else if (expands === 1 && state === 'FINISHED') continue;
    else if (state === 'FINISHED') counts.computed += count;
    else if (state === 'REUSED') counts[parseReason(reason).code === 'JOINED' ? 'joined' : 'reused'] += count;
    else if (state === 'SKIPPED') counts.skipped += count;
    else counts.live += count;
  }
  return counts;
}

async function resultFiles(caller: Caller, runId: number): Promise<Report['outputs']> {
  const store = view(caller);
  const results = await resultsOfRun(store, runId);
  const found = await store.datasetFactsById(results.map((result) => result.datasetId));
  const rows = new Map(found.filter((row) => maySee(caller.access, row.realm)).map((row) => [row.id, row]));
  const seesPaths = caller.access.role === 'admin';
  return results.flatMap(({ key, position, datasetId }) => {
    const row = rows.get(datasetId);
    if (!row?.location) return [];
    return {
      action: key,
      position,
      dataset: row.signature,
      state: row.state,
      digest: row.digest ?? '',
      sizeBytes: row.sizeBytes ?? 0,
      path: seesPaths ? caller.site.varve.storage.path(row.location) : null,
    };
  });
}

async function failures(store: StoreView, runId: number): Promise<Report['failures']> {
  const failed = await store.actionsOfRun(runId, { states: ['FAILED'], limit: shownFailures });
  return failed.map((action) => {
    const error = action.error ? (JSON.parse(action.error) as JsonObject) : {};
    return {
      action: action.key,
      code: String(error.code ?? 'UNKNOWN'),
      message: String(error.message ?? ''),
    };
  });
}
