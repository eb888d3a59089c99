// Actions of runs, their attempts and logs.
import type { Output } from '../../api/api.ts';
import type { actionRoutes } from '../../api/contract/actions.ts';
import type { Json } from '../../core/json.ts';
import { readNode } from '../../core/node-text.ts';
import { parseReason, reasonText } from '../../core/reason.ts';
import type { ActionRow, AttemptRow } from '../../core/rows.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import { requireDetails } from '../../engine/run-details.ts';
import { type Caller, maySee, view, visibleRun } from '../caller.ts';
import { fromCursor, toCursor } from '../cursor.ts';
import { serverErrors } from '../error-codes.ts';
import type { Handlers } from '../handlers.ts';
import { readLog } from '../read-log.ts';

type Summary = Output<'listActions'>['items'][number];
type Detail = Output<'getAction'>;

export const actionHandlers: Handlers<typeof actionRoutes> = {
  async listActions({ run: id, state, key, cursor, limit = 50 }, caller) {
    const run = await visibleRun(caller, id);
    if (key !== undefined || state !== undefined) await requireDetails(view(caller), run.id);
    if (key !== undefined) {
      const rows = await view(caller).actionsByKey(run.id, [key]);
      const fitting = rows.filter((row) => state === undefined || state.includes(row.state));
      return { items: fitting.map(summary), next: null };
    }
    const rows = await view(caller).actionsOfRun(run.id, {
      after: fromCursor('actions', cursor) ?? 0,
      limit,
      ...(state && state.length > 0 ? { states: state } : {}),
    });
    const next = rows.length < limit ? undefined : rows.at(-1)?.id;
    return { items: rows.map(summary), next: toCursor('actions', next) };
  },

  async getAction({ action: id }, caller) {
    const row = await visibleAction(caller, id);
    const attempts = await view(caller).attempts([row.id]);
    return {
      ...summary(row),
      priority: row.priority,
      cancelRequested: row.cancelRequested !== 0,
      definition: readNode(row.node),
      error: parsed(row.error),
      dataset: await producedDataset(caller, row),
      inputs: await inputsOf(caller, row),
      tries: attempts.map(attemptDetail),
    };
  },

  async readLog({ action: id, attempt: number, stream, follow, offset, range }, caller) {
    const action = await visibleAction(caller, id);
    const attempts = await view(caller).attempts([action.id]);
    const attempt = number === 0 ? attempts.at(-1) : attempts.find((one) => one.number === number);
    if (!attempt) throw serverErrors.ATTEMPT_NOT_FOUND(action.key, action.state);
    return readLog(caller, attempt, { stream, follow: follow ?? false, offset, range });
  },
};

async function visibleAction(caller: Caller, id: number): Promise<ActionRow> {
  const [row] = await view(caller).actions([id]);
  const run = row && (await view(caller).runListing(row.runId));
  if (!row || !run || !maySee(caller.access, run.realm)) throw engineErrors.ACTION_UNKNOWN(id);
  return row;
}

function summary(row: ActionRow): Summary {
  const reason = parseReason(row.reason);
  return {
    action: row.id,
    run: row.runId,
    key: row.key,
    name: row.name,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    result: row.result === 1,
    expands: row.expands === 1,
    grownFrom: row.grownFrom,
    signature: row.signature,
    code: reason.code,
    why: reasonText(reason),
    readyAt: row.readyAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  };
}

async function producedDataset(caller: Caller, row: ActionRow): Promise<Detail['dataset']> {
  if (row.datasetId === null) return null;
  const [dataset] = await view(caller).datasets([row.datasetId]);
  if (!dataset || !maySee(caller.access, dataset.realm)) return null;
  const { signature, state, sizeBytes, fileCount, digest } = dataset;
  return { dataset: signature, state, sizeBytes, fileCount, digest };
}

async function inputsOf(caller: Caller, row: ActionRow): Promise<Detail['inputs']> {
  const edges = await view(caller).edgesOf('action', [row.id]);
  const found = await view(caller).datasets(edges.flatMap((edge) => edge.datasetId ?? []));
  const datasets = new Map(
    found.filter((dataset) => maySee(caller.access, dataset.realm)).map((dataset) => [dataset.id, dataset]),
  );
  const producers = await view(caller).actions(edges.flatMap((edge) => edge.producerId ?? []));
  const own = new Set(producers.filter((one) => one.runId === row.runId).map((one) => one.id));
  return edges.map((edge) => {
    const dataset = edge.datasetId === null ? undefined : datasets.get(edge.datasetId);
    const { producerId } = edge;
    return {
      slot: edge.slot,
      position: edge.position,
      dataset: dataset?.signature ?? null,
      name: dataset?.name ?? null,
      state: edge.state,
      action: producerId !== null && own.has(producerId) ? producerId : null,
    };
  });
}

function attemptDetail(row: AttemptRow): Detail['tries'][number] {
  const { number, state, backend, handle, worker, submittedAt, startedAt, endedAt } = row;
  const { exitCode, signal, cpuMs, peakBytes } = row;
  return {
    number,
    state,
    backend,
    handle,
    worker,
    submittedAt,
    startedAt,
    endedAt,
    exitCode,
    signal,
    cpuMs,
    peakBytes,
    error: parsed(row.error),
  };
}

function parsed(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json);
}
