// This process as a member of the group that shares the store: it registers, keeps its lease, and buries members that are certainly
// dead or whose lease ran out, so that their work is taken over.
import { by, type EngineContext } from './engine-context.ts';
import { isDead, type ProcessIdentity, thisProcess } from './process-identity.ts';

export interface MembershipOptions {
  readonly leaseMs: number;
  readonly roles: readonly string[];
  readonly programVersion: string;
  readonly capacity?: string;
  /** What this process is doing now, in a few words. */
  readonly doing: () => string | null;
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Another identity for simulated processes. */
  readonly identity?: ProcessIdentity;
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
        (member.leaseUntil <= at ||
          isDead(
            { host: member.host, boot: member.boot, pid: member.pid, started: member.processStarted },
            self,
          )),
    );
    if (dead.length === 0) return;
    await store.write(async (tx) => {
      const buried = await tx.move(
        'worker',
        'lose',
        dead.map(({ id, version }) => ({ id, version })),
        by(context),
      );
      const names = dead.filter(({ id }) => buried.some((one) => one.id === id)).map(({ name }) => name);
      await tx.expireActions(names, at);
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

  await bury();
  return {
    workerId,
    async run() {
      while (!stop.signal.aborted) {
        await clock.sleep(options.leaseMs / 3, stop.signal);
        if (stop.signal.aborted) return;
        try {
          await beat();
          await bury();
        } catch (error) {
          options.onProblem(error, 'keep the lease');
        }
      }
    },
    async leave() {
      stop.abort();
      await store.write((tx) => tx.move('worker', 'leave', [{ id: workerId }], by(context)), {
        durable: false,
      });
    },
  };
}
