// The life of taken actions inside one manager: inputs are looked at, equal datasets found by content, attempts committed and handed to the
// back-end, and their ends collected and published. Work is done in batches; every step may be repeated after a crash.
import { VarveError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ActionType } from '../core/ports/action-type.ts';
import type { Backend, BackendJob, JobOutcome } from '../core/ports/backend.ts';
import type { ActionRow, AttemptRow } from '../core/rows.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import { type ActionInputs, loadInputs, physicalIdentity } from './action-inputs.ts';
import { createBatcher } from './batcher.ts';
import { type Completion, completeActions } from './complete-actions.ts';
import { by, type EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { cpuMs, type FailedAttempt, failAttempts } from './fail-attempts.ts';
import { growAction } from './grow-action.ts';
import { loseDatasets } from './lose-datasets.ts';
import { publishOutput } from './publish-output.ts';
import { reuseByContent } from './reuse-by-content.ts';
import { submitAttempts } from './submit-attempts.ts';

export interface AttemptRunner {
  /** Begins the actions, all of which the manager has just taken. */
  begin(actions: readonly ActionRow[]): Promise<void>;
  /** Goes on with actions that another manager had handed to the back-end. */
  resume(actions: readonly ActionRow[]): Promise<void>;
  /** To be called when the back-end reports an end. */
  ended(key: string, outcome: JobOutcome): Promise<void>;
  started(key: string, at: number): void;
  /** Stops the attempts of these actions. */
  cancel(actions: readonly ActionRow[]): Promise<void>;
  /** How many actions the manager has in its hands. */
  readonly size: number;
  /** Resolves when everything that was begun has been handed over or given up. */
  settled(): Promise<void>;
}

interface Held {
  readonly action: ActionRow;
  readonly node: NodeDefinition;
  readonly type: ActionType;
  inputs: ActionInputs;
  physical: { readonly signature: string; readonly inputs: string };
  attempt?: { readonly id: number; readonly key: string };
}

export function createAttemptRunner(
  context: EngineContext,
  backend: Backend,
  onProblem: (error: unknown, doing: string) => void,
): AttemptRunner {
  const { store, storage, clock } = context;
  const held = new Map<number, Held>();
  const byKey = new Map<string, Held>();
  const pending = new Set<Promise<unknown>>();

  const completions = createBatcher<Completion, boolean>(async (items) => {
    const won = await persistently(() => store.write((tx) => completeActions(tx, items, by(context))));
    return items.map(({ action }) => won.has(action.id));
  });
  const failures = createBatcher<FailedAttempt, void>(async (items) => {
    await persistently(() => store.write((tx) => failAttempts(tx, items, by(context))));
    return items.map(() => undefined);
  });

  /** The end of an attempt is not forgotten because the store is full or away at that moment; the lease decides when to give up. */
  async function persistently<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isPassing(error)) throw error;
        onProblem(error, 'write down how an attempt ended');
        await clock.sleep(pauseMs);
      }
    }
  }

  function drop(one: Held): void {
    held.delete(one.action.id);
    if (one.attempt) byKey.delete(one.attempt.key);
  }

  /** Keeps the promise in sight, so that nothing fails unnoticed. */
  function track(work: Promise<unknown>, doing: string): void {
    const watched = work.catch((error) => onProblem(error, doing)).finally(() => pending.delete(watched));
    pending.add(watched);
  }

  async function fail(
    one: Held,
    error: unknown,
    kind: FailedAttempt['kind'],
    outcome?: JobOutcome,
  ): Promise<void> {
    const failure = {
      action: one.action,
      attemptId: one.attempt?.id,
      outcome,
      kind,
      error: errorDetail(error),
    };
    await discard(one);
    await failures.add(failure);
    drop(one);
  }

  /** What a failed attempt wrote is of no use, and may be what fills the disk; its logs stay. */
  async function discard({ attempt }: Held): Promise<void> {
    if (!attempt) return;
    await storage
      .discardAttempt(attempt.key, { keepLogs: true })
      .catch((error) => onProblem(error, 'discard an attempt'));
  }

  async function hold(actions: readonly ActionRow[]): Promise<Held[]> {
    const inputs = await loadInputs(context, store.view, actions);
    const kept: Held[] = [];
    for (const action of actions) {
      const node = JSON.parse(action.node) as NodeDefinition;
      const type = context.actionTypes.get(node.type);
      const own = inputs.get(action.id) as ActionInputs;
      const one: Held = {
        action,
        node,
        type: type as ActionType,
        inputs: own,
        physical: { signature: '', inputs: '' },
      };
      held.set(action.id, one);
      if (!type) {
        await fail(one, engineErrors.ACTION_TYPE_UNAVAILABLE(node.type), 'never');
        continue;
      }
      try {
        one.physical = await physicalIdentity(type, node, own.datasets);
      } catch (error) {
        await fail(one, error, failureKind(error));
        continue;
      }
      kept.push(one);
    }
    return kept;
  }

  /** Those whose inputs are all there; for the others what is missing is computed again. */
  async function withFiles(batch: readonly Held[]): Promise<Held[]> {
    const rows = [
      ...new Map(batch.flatMap((one) => one.inputs.rows).map((row) => [row.id, row])).values(),
    ].filter((row) => row.managed === 1 && row.location !== null);
    if (rows.length === 0) return [...batch];
    const states = await storage.inspectMany(rows.map((row) => row.location as string));
    const missing = new Set(rows.filter((_, i) => states[i] === 'missing').map((row) => row.id));
    if (missing.size === 0) return [...batch];
    const ids = [...missing];
    await store.write((tx) => loseDatasets(tx, ids, by(context)));
    const lost = batch.filter((one) => one.inputs.rows.some((row) => missing.has(row.id)));
    for (const one of lost) drop(one);
    return batch.filter((one) => !lost.includes(one));
  }

  /** Ends what can be reused by content; returns the rest. */
  async function withoutHits(batch: readonly Held[]): Promise<Held[]> {
    const candidates = batch.filter(
      (one) =>
        (one.inputs.edges.length > 0 || one.type.physicalIdentity !== undefined) &&
        !one.node.policy.forced &&
        one.node.policy.outputPath === undefined,
    );
    if (candidates.length === 0) return [...batch];
    const [run] = await store.view.runs([(candidates[0] as Held).action.runId]);
    const rows = await store.view.datasetsByPhysical(
      candidates.map((one) => one.physical.signature),
      [run?.realm ?? ''],
    );
    const bySignature = new Map(
      rows.filter((row) => row.state === 'STORED' || row.state === 'LEAF').map((row) => [row.physical, row]),
    );
    const hits = candidates.flatMap((one) => {
      const row = bySignature.get(one.physical.signature);
      return row && row.inputs === one.physical.inputs
        ? [{ action: one.action, datasetId: row.id, location: row.location }]
        : [];
    });
    if (hits.length === 0) return [...batch];
    const states = await storage.inspectMany(hits.map((hit) => hit.location as string));
    const intact = hits.filter((_, i) => states[i] === 'intact');
    const ended = await store.write((tx) => reuseByContent(tx, intact, by(context)));
    for (const one of candidates) if (ended.has(one.action.id)) drop(one);
    return batch.filter((one) => !ended.has(one.action.id));
  }

  async function grow(one: Held): Promise<void> {
    if (!one.type.expand) return fail(one, engineErrors.ACTION_TYPE_UNAVAILABLE(one.node.type), 'never');
    try {
      const growth = await one.type.expand(one.node, one.inputs.datasets);
      await store.write((tx) => growAction(tx, one.action, growth, by(context)));
    } catch (error) {
      return fail(one, error, failureKind(error));
    }
    drop(one);
  }

  async function prepare(one: Held): Promise<{ one: Held; job: BackendJob } | undefined> {
    const key = `${one.action.id}-${one.action.attempts + 1}-${context.randomText()}`;
    try {
      const space = await storage.openAttempt(key);
      return {
        one,
        job: await one.type.prepare({ node: one.node, inputs: one.inputs.datasets, space, key }),
      };
    } catch (error) {
      await fail(one, error, failureKind(error));
      return undefined;
    }
  }

  async function launch(batch: readonly Held[]): Promise<void> {
    const prepared = (await Promise.all(batch.map(prepare))).filter((one) => one !== undefined);
    if (prepared.length === 0) return;
    const attempts = prepared.map(({ one, job }) => ({
      action: one.action,
      key: job.key,
      backend: backend.name,
    }));
    const committed = await store.write((tx) => submitAttempts(tx, attempts, by(context)), {
      durable: false,
    });
    await Promise.all(
      prepared.map(async ({ one, job }, i) => {
        const made = committed[i];
        if (!made) return giveUp(one, job.key);
        one.attempt = { id: made.id, key: job.key };
        byKey.set(job.key, one);
        try {
          const handle = await backend.submit(job);
          if (handle !== '')
            await store.write((tx) => tx.setAttemptHandle(made.id, handle), { durable: false });
        } catch (error) {
          await fail(one, error, 'infrastructure', { kind: 'lost', reason: String(error) });
        }
      }),
    );
  }

  /** The commit was refused: a cancel came first, or the action is somebody else's by now. */
  async function giveUp(one: Held, key: string): Promise<void> {
    await storage.discardAttempt(key, { keepLogs: false });
    const [row] = await store.view.actions([one.action.id]);
    if (row && row.fence === one.action.fence && row.cancelRequested === 1) {
      await fail(one, new VarveError('cancelled', 'CANCELLED', 'the run was cancelled'), 'cancel');
    } else {
      drop(one);
    }
  }

  async function succeed(one: Held, outcome: Extract<JobOutcome, { kind: 'exited' }>): Promise<void> {
    const { key, id: attemptId } = one.attempt as { key: string; id: number };
    const space = storage.attemptSpace(key);
    const { node } = one;
    const collected = await one.type.collect({ node, inputs: one.inputs.datasets, space, key, outcome });
    if ('failure' in collected) {
      const { code, message, retryable } = collected.failure;
      return fail(one, new VarveError('failed', code, message), retryable ? 'command' : 'never', outcome);
    }
    const files = await publishOutput(context, key, node);
    await completions.add({
      action: one.action,
      attemptId,
      files,
      value: JSON.stringify(collected.value),
      physical: one.physical.signature,
      inputs: one.physical.inputs,
      edges: one.inputs.edges,
      startedAt: outcome.startedAt,
      endedAt: outcome.endedAt,
      exitCode: outcome.exitCode,
      cpuMs: cpuMs(outcome),
      peakBytes: outcome.peakMemoryBytes ?? null,
    });
    drop(one);
    await storage.discardAttempt(key, { keepLogs: true });
  }

  async function end(one: Held, outcome: JobOutcome): Promise<void> {
    const { key } = one.node;
    try {
      if (outcome.kind === 'exited') await succeed(one, outcome);
      else if (outcome.kind === 'timeout') {
        await fail(
          one,
          engineErrors.ACTION_TIMED_OUT(key, one.node.policy.timeoutMs ?? 0),
          'command',
          outcome,
        );
      } else if (outcome.kind === 'cancelled') {
        await fail(one, new VarveError('cancelled', 'CANCELLED', 'the run was cancelled'), 'cancel', outcome);
      } else await fail(one, engineErrors.ACTION_LOST(key, outcome.reason), 'infrastructure', outcome);
    } catch (error) {
      if (!held.has(one.action.id)) throw error;
      await fail(one, error, failureKind(error), outcome);
    }
  }

  async function recover(one: Held, attempt: AttemptRow): Promise<void> {
    one.attempt = { id: attempt.id, key: attempt.key };
    byKey.set(attempt.key, one);
    const directory = storage.attemptSpace(attempt.key).directory;
    const found = await backend.recover({ key: attempt.key, directory }, attempt.handle ?? undefined);
    if (found !== 'running') await end(one, found);
    else if (one.action.cancelRequested === 1) await backend.cancel(attempt.key);
  }

  return {
    async begin(actions) {
      const cancelled = actions.filter((action) => action.cancelRequested === 1);
      const kept = await hold(actions);
      const wanted = kept.filter((one) => !cancelled.includes(one.action));
      for (const one of kept) {
        if (!wanted.includes(one))
          await fail(one, new VarveError('cancelled', 'CANCELLED', 'the run was cancelled'), 'cancel');
      }
      const present = await withFiles(wanted);
      for (const one of present) if (one.node.expands) track(grow(one), `grow action ${one.node.key}`);
      const computing = await withoutHits(present.filter((one) => !one.node.expands));
      await launch(computing);
    },
    async resume(actions) {
      const attempts = Map.groupBy(
        await store.view.attempts(actions.map((action) => action.id)),
        (row) => row.actionId,
      );
      const fresh: ActionRow[] = [];
      const handed: ActionRow[] = [];
      for (const action of actions) {
        (action.state === 'PROCESSING' || action.state === 'STAGING' ? fresh : handed).push(action);
      }
      for (const one of await hold(handed)) {
        const attempt = attempts.get(one.action.id)?.at(-1);
        if (attempt) track(recover(one, attempt), `recover action ${one.node.key}`);
      }
      if (fresh.length > 0) await this.begin(fresh);
    },
    async ended(key, outcome) {
      const one = byKey.get(key);
      if (one) await end(one, outcome);
    },
    started(key, at) {
      const one = byKey.get(key);
      if (!one?.attempt) return;
      const { id } = one.attempt;
      const work = store.write(
        async (tx) => {
          await tx.move('attempt', 'start', [{ id, set: { startedAt: at } }], by(context));
          await tx.move('action', 'start', [{ id: one.action.id, fence: one.action.fence }], by(context));
          tx.notify('run');
        },
        { durable: false },
      );
      track(work, 'note a start');
    },
    async cancel(actions) {
      for (const action of actions) {
        const key = held.get(action.id)?.attempt?.key;
        if (key !== undefined) await backend.cancel(key);
      }
    },
    get size() {
      return held.size;
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
      await completions.drained();
      await failures.drained();
    },
  };
}

/** How long to wait before the store is tried again. */
const pauseMs = 1000;

function isPassing(error: unknown): boolean {
  return error instanceof VarveError && (error.kind === 'unavailable' || error.kind === 'exhausted');
}

/** Whether another try could help depends on the kind of the error alone. */
function failureKind(error: unknown): FailedAttempt['kind'] {
  if (!(error instanceof VarveError)) return 'never';
  return error.kind === 'unavailable' || error.kind === 'exhausted' || error.kind === 'timeout'
    ? 'infrastructure'
    : 'never';
}

function errorDetail(error: unknown): JsonObject & { code: string; message: string } {
  if (error instanceof VarveError) return { code: error.code, message: error.message };
  return { code: 'BUG', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
