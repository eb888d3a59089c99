// The life of taken actions inside one manager: inputs are looked at, equal datasets found by content, attempts committed and handed to the
// back-end, and their ends collected and published. Work is done in batches; every step may be repeated after a crash.

import { VarveError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { readNode } from '../core/node-text.ts';
import type { ActionType, Collected, Growth } from '../core/ports/action-type.ts';
import type { Backend, BackendJob, JobOutcome } from '../core/ports/backend.ts';
import type { AttemptSpace } from '../core/ports/storage.ts';
import type { StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow, AttemptRow } from '../core/rows.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import { type ActionInputs, loadInputs, physicalIdentity } from './action-inputs.ts';
import { createBatcher } from './batcher.ts';
import { checkCurrent } from './check-current.ts';
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
  /** Names of some of them. */
  names(most: number): readonly string[];
  /** False for an action that the runner let go of because something went wrong: somebody has to take it over. */
  holds(actionId: number): boolean;
  /** Resolves when everything that was begun has been handed over or given up. */
  settled(): Promise<void>;
}

type Exited = Extract<JobOutcome, { kind: 'exited' }>;

interface Held {
  readonly action: ActionRow;
  readonly node: NodeDefinition;
  readonly type: ActionType;
  inputs: ActionInputs;
  /** From which bytes it is made; unknown when an attempt is taken over whose inputs have been lost meanwhile. */
  physical?: { readonly signature: string; readonly inputs: string };
  attempt?: { readonly id: number; readonly key: string };
  /** Set while its end is being dealt with; an end that is told twice is dealt with once. */
  ending?: boolean;
}

export function createAttemptRunner(
  context: EngineContext,
  backend: Backend,
  onProblem: (error: unknown, doing: string) => void,
  /** Called when an attempt ended that the back-end knows nothing of. */
  onEnd: () => void,
): AttemptRunner {
  const { store, storage, clock } = context;
  const held = new Map<number, Held>();
  const byKey = new Map<string, Held>();
  const pending = new Set<Promise<unknown>>();

  const completions = createBatcher<Completion, boolean>(async (items) => {
    const won = await persistently(() => store.write((tx) => completeActions(tx, items, by(context))));
    return items.map(({ action }) => won.has(action.id));
  });
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

  function drop(one: Held): void {
    if (held.get(one.action.id) === one) held.delete(one.action.id);
    if (one.attempt && byKey.get(one.attempt.key) === one) byKey.delete(one.attempt.key);
  }

  /** Does the work on what is in hand; if it breaks off, lets go of it: the store says what to do next, as after a crash. */
  async function orLetGo<T>(batch: readonly Held[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      for (const one of batch) drop(one);
      throw error;
    }
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
    const won = await orLetGo([one], () => failures.add(failure));
    drop(one);
    const { attempt, type, node } = one;
    if (attempt && outcome && outcome.kind !== 'exited')
      await type.abandon?.(node, attempt.key).catch((reason) => onProblem(reason, `abandon ${attempt.key}`));
    // A lost attempt keeps its files until the clean-up: among them is what fences a hand-over that comes late.
    if (won && one.attempt && outcome?.kind !== 'lost')
      await storage.discardAttempt(one.attempt.key, { keepLogs: true });
  }

  async function hold(actions: readonly ActionRow[]): Promise<Held[]> {
    const inputs = await loadInputs(context, store.view, actions);
    const kept: Held[] = [];
    const strange: Held[] = [];
    for (const action of actions) {
      const node = readNode(action.node);
      const type = context.actionTypes.get(node.type);
      const own = inputs.get(action.id) as ActionInputs;
      const one: Held = {
        action,
        node,
        type: type as ActionType,
        inputs: own,
      };
      held.set(action.id, one);
      (type ? kept : strange).push(one);
    }
    for (const one of strange) {
      const error = engineErrors.ACTION_TYPE_UNAVAILABLE(one.node.type);
      await orLetGo([...strange, ...kept], () => fail(one, error, 'never'));
    }
    return kept;
  }

  /** Those whose inputs are all there; for the others what is missing is computed again. */
  async function withFiles(batch: readonly Held[]): Promise<Held[]> {
    const rows = [...new Set(batch.flatMap((one) => one.inputs.rows))].filter((row) => row.location !== null);
    if (rows.length === 0) return [...batch];
    const states = await storage.inspectMany(rows.map((row) => row.location as string));
    const missing = rows.filter((_, i) => states[i] === 'missing');
    if (missing.length === 0) return [...batch];
    const lost = batch.filter((one) => one.inputs.rows.some((row) => missing.includes(row)));
    const lose = async (tx: StoreTransaction): Promise<void> => {
      await loseDatasets(tx, missing, by(context));
      // Those for which the input was only computed again meanwhile look at it once more.
      await release(tx, lost);
    };
    await store.write(lose, { planning: true });
    for (const one of lost) drop(one);
    return batch.filter((one) => !lost.includes(one));
  }

  async function release(tx: StoreTransaction, batch: readonly Held[]): Promise<void> {
    const set = { owner: null, leaseUntil: 0 };
    const moves = batch.map(({ action }) => ({ id: action.id, fence: action.fence, set }));
    if ((await tx.move('action', 'release', moves, by(context))).length > 0) tx.notify('ready');
  }

  /** Those whose inputs could be read. */
  async function identified(batch: readonly Held[]): Promise<Held[]> {
    const known: Held[] = [];
    for (const one of batch) {
      try {
        one.physical = await physicalIdentity(one.type, one.node, one.inputs.datasets);
        known.push(one);
      } catch (error) {
        await fail(one, error, failureKind(error));
      }
    }
    return known;
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
    const runs = await store.view.runs([...new Set(candidates.map((one) => one.action.runId))]);
    const realms = new Map(runs.map((run) => [run.id, run.realm]));
    const rows = await store.view.datasetsByPhysical(
      [...new Set(candidates.flatMap((one) => one.physical?.signature ?? []))],
      [...new Set(realms.values())],
    );
    const stored = new Map(
      rows
        .filter((row) => row.state === 'STORED' || row.state === 'LEAF')
        .map((row) => [`${row.realm} ${row.physical}`, row]),
    );
    const hits = candidates.flatMap((one) => {
      // Each in the realm of its own run (I9).
      const row = stored.get(`${realms.get(one.action.runId)} ${one.physical?.signature}`);
      return row && row.inputs === one.physical?.inputs
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
    let growth: Growth;
    try {
      growth = await one.type.expand(one.node, one.inputs.datasets);
    } catch (error) {
      return fail(one, error, failureKind(error));
    }
    try {
      await store.write((tx) => growAction(tx, one.action, growth, by(context)), { planning: true });
    } catch (error) {
      // A store that is away is no fault of the action.
      if (failureKind(error) === 'never') return fail(one, error, 'never');
      drop(one);
      throw error;
    }
    drop(one);
  }

  async function prepare(
    one: Held,
  ): Promise<{ one: Held; key: string; job: BackendJob | undefined } | undefined> {
    const key = `${one.action.id}-${one.action.attempts + 1}-${context.randomText()}`;
    try {
      const space = await storage.openAttempt(key);
      return {
        one,
        key,
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
    const attempts = prepared.map(({ one, key, job }) => ({
      action: one.action,
      key,
      backend: (job && backend.placeOf?.(job)) ?? backend.name,
    }));
    const committed = await store.write((tx) => submitAttempts(tx, attempts, by(context)), {
      durable: false,
    });
    await Promise.all(
      prepared.map(async ({ one, key, job }, i) => {
        const made = committed[i];
        const place = attempts[i]?.backend as string;
        if (made) {
          one.attempt = { id: made.id, key };
          byKey.set(key, one);
          if (!job) return track(endAtOnce(one), `end attempt ${key}`);
        }
        const work = made ? handOver(one, job as BackendJob, place, made.id) : giveUp(one, key);
        await orLetGo([one], () => work).catch((error) => onProblem(error, `hand over ${key}`));
      }),
    );
  }

  /** There is nothing to run: the attempt ends where it begins, and is collected. */
  async function endAtOnce(one: Held): Promise<void> {
    const at = clock.now();
    await end(one, { kind: 'exited', exitCode: 0, startedAt: at, endedAt: at }).finally(onEnd);
  }

  async function handOver(one: Held, job: BackendJob, place: string, attemptId: number): Promise<void> {
    let handle: string;
    try {
      handle = await backend.submit(job);
    } catch {
      // It may have the job all the same: it is asked, never told twice (I4).
      return find(one, job.key, undefined, place);
    }
    if (handle === '') return;
    // Without the handle the back-end finds the job by its key.
    const noted = store.write((tx) => tx.setAttemptHandle(attemptId, handle), { durable: false });
    await noted.catch((error) => onProblem(error, 'note a handle'));
  }

  /** The commit was refused: a cancel came first, or the action is somebody else's by now. */
  async function giveUp(one: Held, key: string): Promise<void> {
    await storage.discardAttempt(key, { keepLogs: false });
    const [row] = await store.view.actions([one.action.id]);
    if (row?.fence !== one.action.fence || row.state !== 'PROCESSING') return drop(one);
    if (row.cancelRequested === 1) return fail(one, cancelled(), 'cancel');
    await store.write((tx) => release(tx, [one]));
    drop(one);
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
    await orLetGo([one], () => checkCurrent(context, one.action));
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
    const won = await orLetGo([one], () => completions.add(completion));
    drop(one);
    if (won) await storage.discardAttempt(key, { keepLogs: true });
  }

  async function end(one: Held, outcome: JobOutcome): Promise<void> {
    if (one.ending) return;
    one.ending = true;
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
      } else if (outcome.kind === 'cancelled') await fail(one, cancelled(), 'cancel', outcome);
      else await fail(one, engineErrors.ACTION_LOST(key, outcome.reason), 'infrastructure', outcome);
    } catch (error) {
      if (held.get(one.action.id) !== one) throw error;
      await fail(one, error, failureKind(error), outcome);
    }
  }

  /** Asks the back-end what became of the attempt. */
  async function find(one: Held, key: string, handle: string | undefined, place: string): Promise<void> {
    const { directory } = storage.attemptSpace(key);
    const found = await backend.recover({ key, directory, place }, handle);
    if (found !== 'running') await end(one, found);
    else if (one.action.cancelRequested === 1) await backend.cancel(key);
  }

  function recover(one: Held, attempt: AttemptRow): Promise<void> {
    one.attempt = { id: attempt.id, key: attempt.key };
    byKey.set(attempt.key, one);
    return orLetGo([one], async () => {
      const identity = physicalIdentity(one.type, one.node, one.inputs.datasets);
      const known = await identity.catch(() => undefined);
      if (known) one.physical = known;
      await find(one, attempt.key, attempt.handle ?? undefined, attempt.backend);
    });
  }

  return {
    async begin(actions) {
      const kept = await hold(actions);
      const present = await orLetGo(kept, async () => {
        const unwanted = kept.filter((one) => one.action.cancelRequested === 1);
        for (const one of unwanted) await fail(one, cancelled(), 'cancel');
        return withFiles(kept.filter((one) => !unwanted.includes(one)));
      });
      for (const one of present) if (one.node.expands) track(grow(one), `grow action ${one.node.key}`);
      const computing = present.filter((one) => !one.node.expands);
      await orLetGo(computing, async () => launch(await withoutHits(await identified(computing))));
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
        const attempt = attempts.get(one.action.id)?.at(-1) as AttemptRow;
        track(recover(one, attempt), `recover action ${one.node.key}`);
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
    names: (most) =>
      held
        .values()
        .take(most)
        .map(({ action }) => action.name)
        .toArray(),
    holds: (actionId) => held.has(actionId),
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
      await completions.drained();
      await failures.drained();
    },
  };
}

/** How long to wait before the store is tried again. */
const pauseMs = 1000;

function isPassing(error: unknown): error is VarveError {
  return error instanceof VarveError && (error.kind === 'unavailable' || error.kind === 'exhausted');
}

function cancelled(): VarveError {
  return new VarveError('cancelled', 'CANCELLED', 'the run was cancelled');
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
