// How attempts begin: inputs are looked at, equal datasets found by content, growing nodes grown, attempts committed and then handed to the
// back-end (I4). Work is done in batches; every step may be repeated after a crash.
import { readNode } from '../core/node-text.ts';
import type { ActionType, Growth } from '../core/ports/action-type.ts';
import type { Backend, BackendJob, JobOutcome } from '../core/ports/backend.ts';
import type { StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow, AttemptRow } from '../core/rows.ts';
import { type ActionInputs, loadInputs, physicalIdentity } from './action-inputs.ts';
import { type AttemptEndings, cancelled, failureKind } from './attempt-endings.ts';
import { by, type EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { growAction } from './grow-action.ts';
import type { Held, HeldActions } from './held-actions.ts';
import { loseDatasets } from './lose-datasets.ts';
import { reuseByContent } from './reuse-by-content.ts';
import { submitAttempts } from './submit-attempts.ts';

export interface AttemptBeginnings {
  /** Begins actions that the manager has just taken. */
  begin(actions: readonly ActionRow[]): Promise<void>;
  /** Goes on with actions whose latest attempts another manager had handed to the back-end. */
  recover(actions: readonly ActionRow[], attemptOf: (action: ActionRow) => AttemptRow): Promise<void>;
}

export interface BeginningParts {
  readonly held: HeldActions;
  readonly backend: Backend;
  readonly endings: AttemptEndings;
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Called when an attempt ended that the back-end knows nothing of. */
  readonly onEnd: () => void;
  /** Keeps a promise in sight, so that nothing fails unnoticed. */
  readonly track: (work: Promise<unknown>, doing: string) => void;
}

export function createAttemptBeginnings(
  context: EngineContext,
  { held, backend, endings, onProblem, onEnd, track }: BeginningParts,
): AttemptBeginnings {
  const { store, storage, clock } = context;
  const { end, fail } = endings;

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
      held.add(one);
      (type ? kept : strange).push(one);
    }
    for (const one of strange) {
      const error = engineErrors.ACTION_TYPE_UNAVAILABLE(one.node.type);
      await held.orLetGo([...strange, ...kept], () => fail(one, error, 'never'));
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
    for (const one of lost) held.drop(one);
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
    for (const one of candidates) if (ended.has(one.action.id)) held.drop(one);
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
      held.drop(one);
      throw error;
    }
    held.drop(one);
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
    const attempts = prepared.map(({ one, key, job }) => {
      const place = (job && backend.placeOf?.(job)) ?? backend.name;
      return { action: one.action, key, backend: place, handle: ownHandleAt(place) };
    });
    // A process of this machine does not outlive a power failure. One that outlives the database server is handed over once, too (I4).
    const here = attempts.every((one) => one.backend === backend.name);
    const committed = await store.write((tx) => submitAttempts(tx, attempts, by(context)), {
      durable: here ? 'processes' : true,
    });
    await Promise.all(
      prepared.map(async ({ one, key, job }, i) => {
        const made = committed[i];
        const place = attempts[i]?.backend as string;
        if (made) {
          held.attach(one, { id: made.id, key });
          if (!job) return track(endAtOnce(one), `end attempt ${key}`);
        }
        const work = made ? handOver(one, job as BackendJob, place, made.id) : giveUp(one, key);
        await held.orLetGo([one], () => work).catch((error) => onProblem(error, `hand over ${key}`));
      }),
    );
  }

  /** What the attempt's row says from the beginning, so that nothing has to be written after the hand-over. */
  function ownHandleAt(place: string): string | null {
    return place === backend.name ? (backend.ownHandle ?? null) : null;
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
    } catch (error) {
      // It may have the job all the same: it is asked, never told twice (I4).
      const found = await ask(job.key, undefined, place);
      return follow(one, job.key, isUnstarted(found) ? refused(error) : found);
    }
    if (handle === '' || handle === ownHandleAt(place)) return;
    // Without the handle the back-end finds the job by its key.
    const noted = store.write((tx) => tx.setAttemptHandle(attemptId, handle), { durable: false });
    await noted.catch((error) => onProblem(error, 'note a handle'));
  }

  /** The commit was refused: a cancel came first, or the action is somebody else's by now. */
  async function giveUp(one: Held, key: string): Promise<void> {
    await storage.discardAttempt(key, { keepLogs: false });
    const [row] = await store.view.actions([one.action.id]);
    if (row?.fence !== one.action.fence || row.state !== 'PROCESSING') return held.drop(one);
    if (row.cancelRequested === 1) return fail(one, cancelled(), 'cancel');
    await store.write((tx) => release(tx, [one]));
    held.drop(one);
  }

  /** Asks the back-end what became of the attempt. */
  function ask(key: string, handle: string | undefined, place: string): Promise<JobOutcome | 'running'> {
    return backend.recover({ key, directory: storage.attemptSpace(key).directory, place }, handle);
  }

  async function follow(one: Held, key: string, found: JobOutcome | 'running'): Promise<void> {
    if (found !== 'running') await end(one, found);
    else if (one.action.cancelRequested === 1) await backend.cancel(key);
  }

  function takeUp(one: Held, attempt: AttemptRow): Promise<void> {
    held.attach(one, { id: attempt.id, key: attempt.key });
    return held.orLetGo([one], async () => {
      const identity = physicalIdentity(one.type, one.node, one.inputs.datasets);
      const known = await identity.catch(() => undefined);
      if (known) one.physical = known;
      await follow(one, attempt.key, await ask(attempt.key, attempt.handle ?? undefined, attempt.backend));
    });
  }

  return {
    async begin(actions) {
      const kept = await hold(actions);
      const present = await held.orLetGo(kept, async () => {
        const unwanted = kept.filter((one) => one.action.cancelRequested === 1);
        for (const one of unwanted) await fail(one, cancelled(), 'cancel');
        return withFiles(kept.filter((one) => !unwanted.includes(one)));
      });
      for (const one of present) if (one.node.expands) track(grow(one), `grow action ${one.node.key}`);
      const computing = present.filter((one) => !one.node.expands);
      await held.orLetGo(computing, async () => launch(await withoutHits(await identified(computing))));
    },
    async recover(actions, attemptOf) {
      for (const one of await hold(actions))
        track(takeUp(one, attemptOf(one.action)), `recover action ${one.node.key}`);
    },
  };
}

function isUnstarted(found: JobOutcome | 'running'): boolean {
  return found !== 'running' && found.kind === 'lost' && found.unstarted === true;
}

/** A back-end that takes nothing is a failure of the infrastructure: counted, and tried again only so often. */
function refused(error: unknown): JobOutcome {
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'lost', reason: `the back-end did not take it: ${reason}` };
}
