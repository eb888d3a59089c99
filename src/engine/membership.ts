// This process as a member of the group that shares the store: it registers, keeps its lease, obeys operators, and buries members that
// are certainly dead or whose lease ran out, so that their work is taken over.
import type { WorkerState } from '../core/machines/worker.ts';
import type { WorkerRow } from '../core/rows.ts';
import { by, type EngineContext } from './engine-context.ts';
import { loseRemoteJobs } from './lose-remote-jobs.ts';
import { isDead, type ProcessIdentity, thisProcess } from './process-identity.ts';

export interface MembershipOptions {
  readonly leaseMs: number;
  readonly roles: readonly string[];
  readonly programVersion: string;
  readonly capacity?: string | undefined;
  readonly tags?: string | undefined;
  /** What this process is doing now, in a few words. */
  readonly doing: () => string | null;
  /** Told what an operator wants of this process, whenever that may have changed. */
  readonly obey: (order: Order) => void;
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Another identity for simulated processes. */
  readonly identity?: ProcessIdentity;
}

/** What an operator wants of a process: how it stands, and whether it leaves without finishing what it has. */
export interface Order {
  readonly state: WorkerState;
  readonly leaveNow: boolean;
}

export interface Membership {
  readonly workerId: number;
  /** Keeps the lease until left. */
  run(): Promise<void>;
  leave(): Promise<void>;
}

export async function joinMembers(context: EngineContext, options: MembershipOptions): Promise<Membership> {
  const { store, clock, owner } = context;
  const self = options.identity ?? thisProcess();
  const now = clock.now();
  const workerId = await store.write(
    async (tx) => {
      const id = await tx.nextIds('worker', 1);
      await tx.insertWorker({
        id,
        state: 'ACTIVE',
        name: owner,
        roles: options.roles.join(','),
        host: self.host,
        boot: self.boot,
        pid: self.pid,
        processStarted: self.started,
        programVersion: options.programVersion,
        capacity: options.capacity ?? null,
        doing: null,
        joinedAt: now,
        seenAt: now,
        tags: options.tags ?? '',
        session: null,
        leaveNow: 0,
        leaseUntil: now + options.leaseMs,
      });
      return id;
    },
    { durable: false },
  );
  const stop = new AbortController();

  async function bury(): Promise<void> {
    const at = clock.now();
    const members = await store.view.workers({ live: true });
    const dead = members.filter(
      (member) =>
        member.id !== workerId &&
        (member.leaseUntil <= at || (member.session === null && isDead(identityOf(member), self))),
    );
    if (dead.length === 0) return;
    await store.write(async (tx) => {
      const buried = await tx.move(
        'worker',
        'lose',
        dead.map(({ id, version }) => ({ id, version })),
        by(context),
      );
      const gone = dead.filter(({ id }) => buried.some((one) => one.id === id));
      await tx.expireActions(
        gone.map(({ name }) => name),
        at,
      );
      await loseRemoteJobs(
        tx,
        gone.filter(({ session }) => session !== null),
        'its worker gave no sign of life',
        at,
      );
      tx.notify('ready');
      tx.notify('worker');
    });
  }

  async function beat(): Promise<void> {
    const at = clock.now();
    const alive = await store.write(
      (tx) => tx.heartbeat(workerId, at, at + options.leaseMs, options.doing()),
      {
        durable: false,
      },
    );
    if (alive) return;
    const set = { leaseUntil: at + options.leaseMs, seenAt: at };
    await store.write((tx) => tx.move('worker', 'comeBack', [{ id: workerId, set }], by(context)));
  }

  async function lookForOrders(): Promise<void> {
    const [row] = await store.view.workers({ ids: [workerId] });
    if (row) options.obey({ state: row.state, leaveNow: row.leaveNow === 1 });
  }

  const unlisten = store.listen((topic) => {
    if (topic !== 'worker' || stop.signal.aborted) return;
    lookForOrders().catch((error) => options.onProblem(error, 'look for orders'));
  });

  await bury();
  return {
    workerId,
    async run() {
      while (!stop.signal.aborted) {
        await clock.sleep(options.leaseMs / 3, stop.signal);
        if (stop.signal.aborted) return;
        try {
          await beat();
          await lookForOrders();
          await bury();
        } catch (error) {
          options.onProblem(error, 'keep the lease');
        }
      }
    },
    async leave() {
      stop.abort();
      unlisten();
      await store.write((tx) => tx.move('worker', 'leave', [{ id: workerId }], by(context)), {
        durable: false,
      });
    },
  };
}

function identityOf({ host, boot, pid, processStarted }: WorkerRow): ProcessIdentity {
  return { host, boot, pid, started: processStarted };
}
