// What every back-end promises, whatever executes its jobs: each job started at most once and its end told once, in order and
// within the machine, cancellable, and recoverable after its manager is gone. Run on every implementation.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Backend, BackendEvents, BackendJob } from '../../src/core/ports/backend.ts';
import { EventLog, until } from './event-log.ts';

/** A world in which back-ends can be made and jobs run until they are told to end. */
export interface ContractWorld extends AsyncDisposable {
  open(events: BackendEvents, capacity: { readonly cores: number; readonly memoryBytes: number }): Backend;
  /** The manager of this back-end dies without a word. */
  abandon(backend: Backend): Promise<void>;
  /** A job that runs until `release`; not yet submitted. */
  job(key: string, fields: Partial<BackendJob>): BackendJob;
  release(key: string, exitCode: number): void;
  /** How often the job's command began. */
  starts(key: string): number;
}

const memoryBytes = 1000;

/** Declares the suite for one kind of world. */
export function backendContract(name: string, makeWorld: () => Promise<ContractWorld>): void {
  suite(`the back-end contract holds for ${name}`, { concurrency: 4 }, () => {
    const story = (title: string, tell: (s: Story) => Promise<void>) =>
      test(title, async () => {
        await using world = await makeWorld();
        await tell(new Story(world));
      });

    story('a job is started once and its end is told once', async (s) => {
      const { backend, log } = s.manager(1);
      await backend.submit(s.job('a'));
      await s.running('a');
      s.world.release('a', 3);
      const outcome = await log.exit('a');
      assert.equal(outcome.exitCode, 3);
      assert.ok(outcome.startedAt > 0 && outcome.endedAt >= outcome.startedAt);
      assert.equal(s.world.starts('a'), 1);
    });

    story('larger priority starts first, equal priority in order of arrival', async (s) => {
      const { backend, log } = s.manager(1);
      await backend.submit(s.job('first'));
      await s.running('first');
      const others = { a0: 0, b0: 0, c9: 9, d5: 5, e9: 9, f0: 0 };
      await Promise.all(
        Object.entries(others).map(([key, priority]) => backend.submit(s.job(key, { priority }))),
      );
      const order: string[] = [];
      for (const expected of ['first', 'c9', 'e9', 'd5', 'a0', 'b0', 'f0']) {
        await s.running(expected);
        order.push(...s.started().filter((key) => !order.includes(key)));
        s.world.release(expected, 0);
        await log.exit(expected);
      }
      assert.deepEqual(order, ['first', 'c9', 'e9', 'd5', 'a0', 'b0', 'f0']);
    });

    story('the head of the queue waits for its cores and nothing overtakes it', async (s) => {
      const { backend, log } = s.manager(2);
      await backend.submit(s.job('one', { resources: { cores: 1 } }));
      await backend.submit(s.job('two', { resources: { cores: 2 } }));
      await backend.submit(s.job('small', { resources: { cores: 1 } }));
      await s.running('one');
      await s.settled();
      assert.deepEqual(s.started(), ['one']);
      s.world.release('one', 0);
      await s.running('two');
      await s.settled();
      assert.deepEqual(s.started(), ['one', 'two']);
      s.world.release('two', 0);
      await s.running('small');
      s.world.release('small', 0);
      await log.exit('small');
    });

    story('declared memory is shared out too, and fractions of cores count', async (s) => {
      const { backend, log } = s.manager(1);
      await backend.submit(s.job('a', { resources: { cores: 0.5, memoryBytes: 600 } }));
      await backend.submit(s.job('b', { resources: { cores: 0.5, memoryBytes: 400 } }));
      await backend.submit(s.job('c', { resources: { cores: 0, memoryBytes: 1 } }));
      await s.running('a');
      await s.running('b');
      await s.settled();
      assert.deepEqual(s.started().toSorted(), ['a', 'b']);
      s.world.release('b', 0);
      await s.running('c');
      s.world.release('a', 0);
      s.world.release('c', 0);
      await Promise.all(['a', 'b', 'c'].map((key) => log.exit(key)));
    });

    story('a job larger than the machine runs, alone', async (s) => {
      const { backend, log } = s.manager(2);
      await backend.submit(s.job('small'));
      await backend.submit(s.job('giant', { resources: { cores: 64, memoryBytes: 2 } }));
      await backend.submit(s.job('after'));
      await s.running('small');
      await s.settled();
      assert.deepEqual(s.started(), ['small']);
      s.world.release('small', 0);
      await s.running('giant');
      await s.settled();
      assert.deepEqual(s.started(), ['small', 'giant']);
      s.world.release('giant', 0);
      await s.running('after');
      s.world.release('after', 0);
      await log.exit('after');
    });

    story('a queued job that is cancelled never starts', async (s) => {
      const { backend, log } = s.manager(1);
      await backend.submit(s.job('runs'));
      await backend.submit(s.job('waits'));
      await backend.cancel('waits');
      assert.deepEqual(await log.end('waits'), { kind: 'cancelled' });
      s.world.release('runs', 0);
      await log.exit('runs');
      await s.settled();
      assert.equal(s.world.starts('waits'), 0);
    });

    story(
      'a running job that is cancelled ends as cancelled, and cancelling again changes nothing',
      async (s) => {
        const { backend, log } = s.manager(1);
        await backend.submit(s.job('a'));
        await s.running('a');
        await backend.cancel('a');
        await backend.cancel('a');
        const outcome = await log.end('a');
        assert.equal(outcome.kind, 'cancelled');
        await backend.cancel('a');
      },
    );

    story('cancelling an unknown key is ignored', async (s) => {
      const { backend } = s.manager(1);
      await backend.cancel('nobody');
    });

    story('a key that was never submitted is lost for ever: submitted later it does not start', async (s) => {
      const { backend, log } = s.manager(1);
      assert.equal(kindOf(await backend.recover(s.job('a'), undefined)), 'lost');
      assert.equal(kindOf(await backend.recover(s.job('a'), undefined)), 'lost');
      await backend.submit(s.job('a'));
      assert.equal((await log.end('a')).kind, 'lost');
      assert.equal(s.world.starts('a'), 0);
    });

    story('a job that still runs after its manager died is recovered, and its end told once', async (s) => {
      const dead = s.manager(1);
      await dead.backend.submit(s.job('a'));
      await s.running('a');
      await s.world.abandon(dead.backend);
      const { backend, log } = s.manager(1);
      assert.equal(await backend.recover(s.job('a'), undefined), 'running');
      assert.equal(await backend.recover(s.job('a'), undefined), 'running');
      s.world.release('a', 7);
      assert.equal((await log.exit('a')).exitCode, 7);
      assert.equal(s.world.starts('a'), 1);
      assert.equal(dead.log.outcomes.size, 0);
    });

    story(
      'a job that ended after its manager died is recovered with its outcome, any number of times',
      async (s) => {
        const dead = s.manager(1);
        await dead.backend.submit(s.job('a'));
        await s.running('a');
        await s.world.abandon(dead.backend);
        s.world.release('a', 9);
        const { backend, log } = s.manager(1);
        let outcome = await backend.recover(s.job('a'), undefined);
        if (outcome === 'running') outcome = await log.end('a');
        assert.deepEqual([outcome.kind, 'exitCode' in outcome && outcome.exitCode], ['exited', 9]);
        assert.deepEqual(await backend.recover(s.job('a'), undefined), outcome);
        assert.equal(s.world.starts('a'), 1);
      },
    );

    story('a job that was still queued when its manager died is lost and never starts', async (s) => {
      const dead = s.manager(1);
      await dead.backend.submit(s.job('runs'));
      await dead.backend.submit(s.job('waits'));
      await s.running('runs');
      await s.world.abandon(dead.backend);
      const { backend, log } = s.manager(1);
      assert.equal(kindOf(await backend.recover(s.job('waits'), undefined)), 'lost');
      assert.equal(await backend.recover(s.job('runs'), undefined), 'running');
      s.world.release('runs', 0);
      await log.exit('runs');
      await s.settled();
      assert.equal(s.world.starts('waits'), 0);
    });

    story('a job that another manager takes away while it is queued never starts', async (s) => {
      const slow = s.manager(1);
      await slow.backend.submit(s.job('runs'));
      await slow.backend.submit(s.job('waits'));
      await s.running('runs');
      const { backend } = s.manager(1);
      assert.equal(kindOf(await backend.recover(s.job('waits'), undefined)), 'lost');
      s.world.release('runs', 0);
      await slow.log.exit('runs');
      assert.equal((await slow.log.end('waits')).kind, 'lost');
      assert.equal(s.world.starts('waits'), 0);
    });

    story('a recovered job can be cancelled', async (s) => {
      const dead = s.manager(1);
      await dead.backend.submit(s.job('a'));
      await s.running('a');
      await s.world.abandon(dead.backend);
      const { backend, log } = s.manager(1);
      assert.equal(await backend.recover(s.job('a'), undefined), 'running');
      await backend.cancel('a');
      assert.equal((await log.end('a')).kind, 'cancelled');
    });

    story('a recovered job takes its part of the machine', async (s) => {
      const dead = s.manager(2);
      await dead.backend.submit(s.job('old', { resources: { cores: 2 } }));
      await s.running('old');
      await s.world.abandon(dead.backend);
      const { backend, log } = s.manager(2);
      assert.equal(await backend.recover(s.job('old'), undefined), 'running');
      await backend.submit(s.job('new'));
      await s.settled();
      assert.deepEqual(s.started(), ['old']);
      s.world.release('old', 0);
      await log.exit('old');
      await s.running('new');
      s.world.release('new', 0);
      await log.exit('new');
    });

    story('the capacity is what the back-end was given', async (s) => {
      const { backend } = s.manager(2);
      const capacity = backend.capacity();
      assert.deepEqual([capacity.cores, capacity.memoryBytes], [2, memoryBytes]);
      assert.ok(capacity.queueAhead > 0);
    });
  });
}

class Story {
  readonly world: ContractWorld;
  readonly #keys: string[] = [];

  constructor(world: ContractWorld) {
    this.world = world;
  }

  manager(cores: number): { readonly backend: Backend; readonly log: EventLog } {
    const log = new EventLog();
    return { backend: this.world.open(log, { cores, memoryBytes }), log };
  }

  job(key: string, fields: Partial<BackendJob> = {}): BackendJob {
    if (!this.#keys.includes(key)) this.#keys.push(key);
    return this.world.job(key, fields);
  }

  started(): string[] {
    return this.#keys.filter((key) => this.world.starts(key) > 0);
  }

  async running(key: string): Promise<void> {
    await until(`${key} runs`, () => this.world.starts(key) > 0);
  }

  /** Long enough for a job that must not start to do so. */
  async settled(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

function kindOf(found: 'running' | { readonly kind: string }): string {
  return typeof found === 'string' ? found : found.kind;
}
