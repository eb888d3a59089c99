// What ended, as spans: a run is a trace, its actions are spans below it, and their attempts below these. Times are those of the rows.
import type { StoreView } from '../core/ports/store.ts';
import type { ActionRow, AttemptRow, RunRow } from '../core/rows.ts';
import type { Span } from './span.ts';
import { derivedSpanId, isSampled, runContext } from './trace-context.ts';

export interface EndedIds {
  readonly runs: ReadonlySet<number>;
  readonly actions: ReadonlySet<number>;
}

/** The spans of what has ended, read in few statements; runs that are not sampled are left out. */
export async function endedSpans(view: StoreView, ended: EndedIds, share: number): Promise<Span[]> {
  const actions = await view.actions([...ended.actions]);
  const rows = await view.runs([...new Set([...ended.runs, ...actions.map(({ runId }) => runId)])]);
  const runs = new Map(
    rows.filter((row) => isSampled(runContext(row).traceId, share)).map((row) => [row.id, row]),
  );
  const told = new Map(actions.filter(({ runId }) => runs.has(runId)).map((row) => [row.id, row]));
  const attempts = await view.attempts([...told.keys()]);
  const runOf = ({ runId }: ActionRow): RunRow => runs.get(runId) as RunRow;
  return [
    ...attempts
      .filter(({ endedAt }) => endedAt !== null)
      .map((attempt) => {
        const action = told.get(attempt.actionId) as ActionRow;
        return attemptSpan(attempt, action, runOf(action));
      }),
    ...[...told.values()].map((action) => actionSpan(action, runOf(action))),
    ...[...runs.values()].filter(({ id }) => ended.runs.has(id)).map(runSpan),
  ];
}

function runSpan(run: RunRow): Span {
  const counts = run.summary === null ? {} : (JSON.parse(run.summary) as Record<string, unknown>);
  return {
    ...runContext(run),
    name: run.name,
    kind: 'internal',
    startedAt: run.submittedAt,
    endedAt: run.endedAt ?? run.submittedAt,
    attributes: {
      'varve.run': run.id,
      'varve.state': run.state,
      'varve.user': run.userName,
      'varve.project': run.realm,
      'varve.language': run.language,
      ...Object.fromEntries(
        Object.entries(counts).flatMap(([state, count]) =>
          typeof count === 'number' ? [[`varve.actions.${state.toLowerCase()}`, count]] : [],
        ),
      ),
    },
    error: run.state === 'FAILED' ? (run.error ?? 'an action failed') : undefined,
  };
}

function actionSpan(action: ActionRow, run: RunRow): Span {
  const { traceId, spanId: parentSpanId } = runContext(run);
  return {
    traceId,
    spanId: derivedSpanId(traceId, 'action', action.id),
    parentSpanId,
    name: action.name || action.key,
    kind: 'internal',
    startedAt: action.readyAt ?? action.createdAt,
    endedAt: action.endedAt ?? action.createdAt,
    attributes: {
      'varve.run': run.id,
      'varve.action': action.id,
      'varve.action.key': action.key,
      'varve.action.type': action.type,
      'varve.state': action.state,
      'varve.signature': action.signature,
      'varve.attempts': action.attempts,
    },
    error: action.state === 'FAILED' ? (action.error ?? 'failed') : undefined,
  };
}

function attemptSpan(attempt: AttemptRow, action: ActionRow, run: RunRow): Span {
  const { traceId } = runContext(run);
  return {
    traceId,
    spanId: derivedSpanId(traceId, 'attempt', attempt.id),
    parentSpanId: derivedSpanId(traceId, 'action', action.id),
    name: `${action.name || action.key} attempt ${attempt.number}`,
    kind: 'internal',
    startedAt: attempt.startedAt ?? attempt.submittedAt,
    endedAt: attempt.endedAt ?? attempt.submittedAt,
    attributes: {
      'varve.run': run.id,
      'varve.action': action.id,
      'varve.attempt': attempt.number,
      'varve.state': attempt.state,
      'varve.backend': attempt.backend,
      'varve.worker': attempt.worker,
      'process.exit.code': attempt.exitCode,
      'varve.cpu_ms': attempt.cpuMs,
      'varve.peak_bytes': attempt.peakBytes,
    },
    error:
      attempt.state === 'FAILED' || attempt.state === 'LOST' ? (attempt.error ?? attempt.state) : undefined,
  };
}
