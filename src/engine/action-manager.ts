// The action manager: takes READY actions in batches by lease, keeps the back-end supplied, extends its leases, and takes over what dead
// managers left. It is woken by notices; a slow poll is the safety net. Any number of managers may run on one store.
import type { Backend, JobOutcome, Opening } from '../core/ports/backend.ts';
import type { Topic } from '../core/ports/store.ts';
import type { ActionRow } from '../core/rows.ts';
import { createAttemptRunner } from './attempt-runner.ts';
import { closeRuns } from './close-runs.ts';
import { createDispatchPace, roomAhead } from './dispatch-pace.ts';
import { by, type EngineContext } from './engine-context.ts';

export interface ActionManagerOptions {
  readonly leaseMs: number;
  /** Longest time between two looks at the queue when nobody wakes it. */
  readonly pollMs: number;
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Awaited before actions are taken: makes room for what they will write. Returns how many may queue behind those that run. */
  readonly makeRoom?: () => Promise<number>;
}

export interface ActionManager {
  /** Takes and runs actions until stopped. */
  run(): Promise<void>;
  /** Takes nothing new; resolves when everything in hand has ended or been given back. Running jobs go on. */
  stop(): Promise<void>;
  pause(): void;
  resume(): void;
  /** To be connected to the back-end's events. */
  readonly events: { started(key: string, at: number): void; ended(key: string, outcome: JobOutcome): void };
  readonly inHand: number;
  /** What is in hand, in a few words. */
  describe(): string;
}

const mostNames = 3;

export function createActionManager(
  context: EngineContext,
  backend: () => Backend,
  options: ActionManagerOptions,
): ActionManager {
  const { store, clock, owner } = context;
  const { leaseMs, pollMs, onProblem } = options;
  const longestWait = Math.min(pollMs, leaseMs / 3);
  let runner: ReturnType<typeof createAttemptRunner> | undefined;
  let stopping = false;
  let handedBack = false;
  let paused = false;
  let cancelWanted = true;
  let lookedAt = 0;
  let wake: AbortController = new AbortController();
  let loop: Promise<void> | undefined;
  const ending = new Set<Promise<void>>();
  const pace = createDispatchPace();

  function nudge(): void {
    // Without a reason each would be an exception with a stack.
    wake.abort('nudged');
  }

  function heard(topic: Topic): void {
    if (topic === 'cancel' || topic === '*') cancelWanted = true;
    if (topic === 'ready' || topic === 'cancel' || topic === 'worker' || topic === '*') nudge();
  }

  const inRunner = (): ReturnType<typeof createAttemptRunner> => {
    runner ??= createAttemptRunner(context, backend(), onProblem, nudge);
    return runner;
  };

  /** What may be taken now, by the tags that it demands. */
  async function openings(most = Number.POSITIVE_INFINITY): Promise<readonly Opening[]> {
    const inHand = inRunner().size;
    const places = backend();
    const { cores, queueAhead } = places.capacity();
    const ahead = Math.min(most, pace.ahead(cores, clock.now()));
    if (places.openings) {
      return (await places.openings({ inHand, ahead })).filter(({ count }) => count > 0);
    }
    const count = roomAhead({ cores: Math.ceil(cores), ahead: Math.min(queueAhead, ahead), inHand });
    return count > 0 ? [{ tags: '', count }] : [];
  }

  /** Takes as much as the back-end has room for. */
  async function takeSome(): Promise<'no room' | 'there may be more' | 'no more'> {
    lookedAt = clock.now();
    if (paused || stopping || (await openings()).length === 0) return 'no room';
    const open = await openings(await options.makeRoom?.());
    if (open.length === 0) return 'no room';
    const now = clock.now();
    const batches = await store.write(
      async (tx) => {
        const taken: ActionRow[][] = [];
        for (const { tags, count } of open) {
          taken.push(await tx.takeActions({ owner, now, until: now + leaseMs, limit: count, tags }));
        }
        const ranks = taken.flat().map(({ rank }) => rank);
        if (ranks.length > 0) await tx.advanceDispatchClock(Math.max(...ranks));
        return taken;
      },
      { durable: false },
    );
    const actions = batches.flat();
    if (actions.length > 0) await inRunner().begin(actions);
    return batches.some((taken, i) => taken.length === open[i]?.count) ? 'there may be more' : 'no more';
  }

  /** What this manager owns but let go of, because the store or the storage was away, is given back at once. */
  async function giveBackStrays(): Promise<void> {
    const isStray = ({ id }: ActionRow): boolean => !inRunner().holds(id);
    if (!(await store.view.ownedActions(owner)).some(isStray)) return;
    await store.write(async (tx) => {
      for (const { id } of (await tx.ownedActions(owner)).filter(isStray))
        await tx.setActionColumns(id, { leaseUntil: 0 });
    });
  }

  async function takeOver(): Promise<void> {
    const now = clock.now();
    const handle = backend().ownHandle;
    const spare = handle === undefined ? {} : { spare: { handle, since: now - leaseMs } };
    const lease = { owner, now, until: now + leaseMs, limit: 100, ...spare };
    for (;;) {
      const actions = await store.write((tx) => tx.takeOverActions(lease), { durable: false });
      if (actions.length > 0) await inRunner().resume(actions);
      if (actions.length < lease.limit) return;
    }
  }

  async function stopCancelled(): Promise<void> {
    cancelWanted = false;
    const owned = await store.view.ownedActions(owner);
    await inRunner().cancel(owned.filter((action) => action.cancelRequested === 1));
  }

  /** Runs whose last two actions ended in two transactions at the same instant are closed here. */
  async function closeStale(): Promise<void> {
    const live = await store.view.liveRuns();
    const done = live.length > 0 ? await store.view.runsWithoutLiveActions(live) : [];
    if (done.length > 0) await store.write((tx) => closeRuns(tx, done, by(context)));
  }

  async function attend(): Promise<void> {
    let lastCare = Number.NEGATIVE_INFINITY;
    while (!stopping) {
      wake = new AbortController();
      let taken: Awaited<ReturnType<typeof takeSome>> = 'no more';
      try {
        const now = clock.now();
        if (now - lastCare >= longestWait) {
          await store.write((tx) => tx.extendActions({ owner, until: now + leaseMs }), { durable: false });
          await giveBackStrays();
          await takeOver();
          await closeStale();
          cancelWanted = true;
          lastCare = now;
        }
        if (cancelWanted) await stopCancelled();
        taken = await takeSome();
      } catch (error) {
        onProblem(error, 'attend to the queue');
        await clock.sleep(Math.min(1000, pollMs));
      }
      if (taken === 'there may be more' || stopping) continue;
      await clock.sleep(taken === 'no room' ? longestWait : await untilNextLook(), wake.signal);
    }
  }

  async function untilNextLook(): Promise<number> {
    const due = await store.view.nextDue().catch(() => undefined);
    // What was due at the last look could not be taken: it is looked at again when something ends, or at the next poll.
    if (due === undefined || due <= lookedAt) return longestWait;
    // Leases of others that are still alive are extended long before they are due.
    return Math.max(0, Math.min(longestWait, due - clock.now()));
  }

  return {
    async run() {
      const unlisten = store.listen(heard);
      loop = attend();
      try {
        await loop;
      } finally {
        unlisten();
      }
    },
    async stop() {
      stopping = true;
      nudge();
      await loop;
      await runner?.settled();
      while (ending.size > 0) await Promise.all(ending);
      // From here on ends belong to whoever takes over: two that collect one attempt would be in each other's way.
      handedBack = true;
      await store.write(async (tx) => {
        // Whoever takes over should do so now.
        if ((await tx.expireActions([owner], clock.now())) > 0) tx.notify('ready');
      });
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      nudge();
    },
    events: {
      started(key, at) {
        pace.started(key, at);
        if (handedBack) return;
        inRunner().started(key, at);
      },
      ended(key, outcome) {
        pace.ended(key, outcome);
        if (handedBack) return;
        const work = inRunner()
          .ended(key, outcome)
          .catch((error) => onProblem(error, `end attempt ${key}`))
          .finally(() => {
            ending.delete(work);
            nudge();
          });
        ending.add(work);
      },
    },
    get inHand() {
      return runner?.size ?? 0;
    },
    describe() {
      const count = runner?.size ?? 0;
      const names = runner?.names(mostNames) ?? [];
      if (count === 0) return paused ? 'paused' : 'nothing';
      const more = count > names.length ? ', …' : '';
      return `${count} ${count === 1 ? 'action' : 'actions'}: ${names.join(', ')}${more}`.slice(0, 200);
    },
  };
}
