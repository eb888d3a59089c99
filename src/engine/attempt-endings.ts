// How attempts end: what they left is collected and published, or they fail and the policy decides what follows. Ends that arrive together
// are written down together; every step may be repeated after a crash.
import { VarveError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Collected } from '../core/ports/action-type.ts';
import type { JobOutcome } from '../core/ports/backend.ts';
import type { AttemptSpace } from '../core/ports/storage.ts';
import { createBatcher } from './batcher.ts';
import { checkCurrent } from './check-current.ts';
import { type Completion, completeActions } from './complete-actions.ts';
import { by, type EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { cpuMs, type FailedAttempt, failAttempts } from './fail-attempts.ts';
import type { Held, HeldActions } from './held-actions.ts';
import { publishOutput } from './publish-output.ts';

export interface AttemptEndings {
  /** Deals with the end of an attempt; a second report of the same end changes nothing. */
  end(one: Held, outcome: JobOutcome): Promise<void>;
  /** The action failed, whether an attempt was made or not. */
  fail(one: Held, error: unknown, kind: FailedAttempt['kind'], outcome?: JobOutcome): Promise<void>;
  /** Resolves when every end has been written down. */
  drained(): Promise<void>;
}

type Exited = Extract<JobOutcome, { kind: 'exited' }>;

export function createAttemptEndings(
  context: EngineContext,
  held: HeldActions,
  onProblem: (error: unknown, doing: string) => void,
): AttemptEndings {
  const { store, storage, clock } = context;
  const lingering = { lingerMs: (ended: number) => (held.size - ended > busyFrom ? lingerMs : 0) };

  const completions = createBatcher<Completion, boolean>(async (items) => {
    const won = await persistently(() => store.write((tx) => completeActions(tx, items, by(context))));
    return items.map(({ action }) => won.has(action.id));
  }, lingering);
  const failures = createBatcher<FailedAttempt, boolean>(async (items) => {
    const write = (): Promise<ReadonlySet<number>> =>
      store.write((tx) => failAttempts(tx, items, by(context)), { planning: true });
    const won = await persistently(write, () => makeRoom(items));
    return items.map(({ action }) => won.has(action.id));
  });

  /** The end of an attempt is not forgotten because the store is full or away at that moment; the lease decides when to give up. */
  async function persistently<T>(
    write: () => Promise<T>,
    onFull = async (): Promise<void> => {},
  ): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isPassing(error)) throw error;
        onProblem(error, 'write down how an attempt ended');
        if (error.kind === 'exhausted') await onFull();
        await clock.sleep(pauseMs);
      }
    }
  }

  /** What failed attempts wrote is of no use and may be what fills the disk; it goes, unless somebody else owns it by now. */
  async function makeRoom(failed: readonly FailedAttempt[]): Promise<void> {
    const rows = await store.view.actions(failed.map(({ action }) => action.id));
    const fences = new Map(rows.map((row) => [row.id, row.fence]));
    for (const { action, outcome } of failed) {
      const key = held.get(action.id)?.attempt?.key;
      if (key === undefined || outcome?.kind === 'lost' || fences.get(action.id) !== action.fence) continue;
      await storage
        .discardAttempt(key, { keepLogs: true })
        .catch((error) => onProblem(error, 'discard an attempt'));
    }
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
    const won = await held.orLetGo([one], () => failures.add(failure));
    held.drop(one);
    const { attempt, type, node } = one;
    if (attempt && outcome && outcome.kind !== 'exited')
      await type.abandon?.(node, attempt.key).catch((reason) => onProblem(reason, `abandon ${attempt.key}`));
    // A lost attempt keeps its files until the clean-up: among them is what fences a hand-over that comes late.
    if (won && one.attempt && outcome?.kind !== 'lost')
      await storage.discardAttempt(one.attempt.key, { keepLogs: true });
  }

  /** Looks at what the attempt left; after a crash that may have been published already. */
  async function collect(one: Held, outcome: Exited): Promise<Collected> {
    const { key } = one.attempt as { key: string };
    const { node, inputs } = one;
    const space = storage.attemptSpace(key);
    const look = (at: AttemptSpace): Promise<Collected> =>
      one.type.collect({ node, inputs: inputs.datasets, space: at, key, outcome });
    const first = await look(space).catch((error: unknown) => ({ error }));
    if ('value' in first) return first;
    const location = storage.locationOf(key);
    const [published] = await storage.inspectMany([location]);
    if (published === 'intact') return look({ ...space, out: storage.path(location) });
    if ('error' in first) throw first.error;
    return first;
  }

  async function succeed(one: Held, outcome: Exited): Promise<void> {
    const { key, id: attemptId } = one.attempt as { key: string; id: number };
    const { node } = one;
    const collected = await collect(one, outcome);
    if ('failure' in collected) {
      const { code, message, retryable } = collected.failure;
      return fail(one, new VarveError('failed', code, message), retryable ? 'command' : 'never', outcome);
    }
    const files = await publishOutput(context, key, node);
    await held.orLetGo([one], () => checkCurrent(context, one.action));
    const completion: Completion = {
      action: one.action,
      attemptId,
      files,
      value: JSON.stringify(collected.value),
      physical: one.physical?.signature ?? null,
      inputs: one.physical?.inputs ?? null,
      edges: one.inputs.edges,
      startedAt: outcome.startedAt,
      endedAt: outcome.endedAt,
      exitCode: outcome.exitCode,
      cpuMs: cpuMs(outcome),
      peakBytes: outcome.peakMemoryBytes ?? null,
    };
    // What is published is not computed again because the store was away for a moment.
    const won = await held.orLetGo([one], () => completions.add(completion));
    held.drop(one);
    if (won) await storage.discardAttempt(key, { keepLogs: true, swept: outcome.swept });
  }

  async function end(one: Held, outcome: JobOutcome): Promise<void> {
    if (one.ending) return;
    one.ending = true;
    const { key } = one.node;
    try {
      if (outcome.kind === 'exited') await succeed(one, outcome);
      else if (outcome.kind === 'timeout') {
        // A limit that a language computed is in the job alone.
        const limitMs = one.node.policy.timeoutMs ?? outcome.endedAt - outcome.startedAt;
        await fail(one, engineErrors.ACTION_TIMED_OUT(key, limitMs), 'command', outcome);
      } else if (outcome.kind === 'cancelled') await fail(one, cancelled(), 'cancel', outcome);
      else await fail(one, engineErrors.ACTION_LOST(key, outcome.reason), 'infrastructure', outcome);
    } catch (error) {
      if (held.get(one.action.id) !== one) throw error;
      await fail(one, error, failureKind(error), outcome);
    }
  }

  return {
    end,
    fail,
    async drained() {
      await completions.drained();
      await failures.drained();
    },
  };
}

/** With so many actions in hand the back-end has enough to do until a batch of ends is written. */
const busyFrom = 32;
const lingerMs = 25;

/** How long to wait before the store is tried again. */
const pauseMs = 1000;

function isPassing(error: unknown): error is VarveError {
  return error instanceof VarveError && (error.kind === 'unavailable' || error.kind === 'exhausted');
}

export function cancelled(): VarveError {
  return new VarveError('cancelled', 'CANCELLED', 'the run was cancelled');
}

/** Whether another try could help depends on the kind of the error alone. */
export function failureKind(error: unknown): FailedAttempt['kind'] {
  if (!(error instanceof VarveError)) return 'never';
  return error.kind === 'unavailable' || error.kind === 'exhausted' || error.kind === 'timeout'
    ? 'infrastructure'
    : 'never';
}

function errorDetail(error: unknown): JsonObject & { code: string; message: string } {
  if (error instanceof VarveError) return { code: error.code, message: error.message };
  return { code: 'BUG', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
