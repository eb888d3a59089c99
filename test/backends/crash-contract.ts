// What survives when processes are killed without warning: real managers, real launchers, real SIGKILL.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JobStart } from '../../src/backends/local/job-journal.ts';
import { readJournal } from '../../src/backends/local/job-journal.ts';
import { isAlive } from '../../src/backends/local/process-identity.ts';
import type { BackendJob, JobOutcome } from '../../src/core/ports/backend.ts';
import { EventLog, until } from './event-log.ts';
import type { LauncherKind } from './local-world.ts';
import { cacheDirectory, LocalWorld } from './local-world.ts';
import type { Manager } from './manager-process.ts';
import { startManager } from './manager-process.ts';

const CAMPAIGN_ROUNDS = 6;

/** Declares the suite for one launcher. */
export function crashContract(launcher: LauncherKind): void {
  const story = (title: string, tell: (world: LocalWorld) => Promise<void>) =>
    test(title, async () => {
      await using world = new LocalWorld(launcher);
      await tell(world);
    });
  const manager = (world: LocalWorld, jobs: readonly BackendJob[], cores = 1): Manager =>
    startManager(world.root, { launcher, cores, cacheDirectory, jobs });

  suite(`kills are survived with the launcher in ${launcher}`, { concurrency: 3 }, () => {
    story(
      'a job goes on when its manager is killed, and the next manager hears of its end',
      async (world) => {
        const job = world.job('a');
        const dead = manager(world, [job]);
        await until('it runs', () => world.starts('a') === 1);
        await dead.kill();
        const log = new EventLog();
        const backend = world.open(log);
        assert.equal(await backend.recover(job, undefined), 'running');
        world.release('a', 5);
        assert.equal((await log.exit('a')).exitCode, 5);
        assert.equal(world.starts('a'), 1);
        await until('its launcher is gone', () => !isAlive(startOf(job).launcher));
      },
    );

    story('an end that nobody was there to hear is found later', async (world) => {
      const job = world.job('a');
      const dead = manager(world, [job]);
      await until('it runs', () => world.starts('a') === 1);
      await dead.kill();
      world.release('a', 6);
      await until('its end is recorded', () => readJournal(job.directory).kind === 'ended');
      const outcome = await world.open(new EventLog()).recover(job, undefined);
      assert.ok(outcome !== 'running' && outcome.kind === 'exited');
      assert.equal(outcome.exitCode, 6);
      assert.ok(outcome.cpuSeconds! >= 0);
    });

    story('what was queued when the manager was killed never starts', async (world) => {
      const jobs = ['a', 'b', 'c', 'd'].map((key) => world.job(key));
      const dead = manager(world, jobs);
      await dead.submitted;
      await until('the first runs', () => world.starts('a') === 1);
      await dead.kill();
      const log = new EventLog();
      const backend = world.open(log);
      const found = await Promise.all(jobs.map((job) => backend.recover(job, undefined)));
      assert.deepEqual(found.map(kindOf), ['running', 'lost', 'lost', 'lost']);
      world.release('a', 0);
      await log.exit('a');
      await until('its launcher is gone', () => !isAlive(startOf(jobs[0]!).launcher));
      assert.deepEqual(
        ['b', 'c', 'd'].map((key) => world.starts(key)),
        [0, 0, 0],
      );
    });

    story(
      'when manager and launcher are killed, what ran is killed with all its processes and lost',
      async (world) => {
        const job = world.script('a', 'sh -c "trap \\"\\" TERM; echo \\$\\$ > child; sleep 60; true" & wait');
        const dead = manager(world, [job]);
        await until('its child runs', () => tryRead(world, 'a', 'child').endsWith('\n'));
        const start = startOf(job);
        await dead.kill();
        process.kill(start.launcher.pid, 'SIGKILL');
        await until('the launcher is dead', () => !isAlive(start.launcher));
        assert.ok(isAlive(start.job));
        const backend = world.open(new EventLog());
        const both = await Promise.all([backend.recover(job, undefined), backend.recover(job, undefined)]);
        assert.deepEqual(both.map(kindOf), ['lost', 'lost']);
        assert.ok(!isAlive(start.job));
        assert.ok(!isAlive({ pid: Number(world.read('a', 'child')), ticks: 0 }));
        assert.equal(kindOf(await world.open(new EventLog()).recover(job, undefined)), 'lost');
      },
    );

    story(
      'when only the launcher is killed, what ran is lost and what was queued runs once',
      async (world) => {
        const log = new EventLog();
        const backend = world.open(log, { cores: 1 });
        const running = world.job('a');
        await backend.submit(running);
        await until('it runs', () => world.starts('a') === 1);
        for (const key of ['b', 'c']) await backend.submit(world.script(key, 'echo x >> starts'));
        const { job, launcher: victim } = startOf(running);
        process.kill(victim.pid, 'SIGKILL');
        assert.equal((await log.end('a')).kind, 'lost');
        assert.ok(!isAlive(job));
        for (const key of ['b', 'c']) assert.equal((await log.exit(key)).exitCode, 0);
        await backend.submit(world.script('d', 'echo x >> starts'));
        await log.exit('d');
        assert.deepEqual(
          ['a', 'b', 'c', 'd'].map((key) => world.starts(key)),
          [1, 1, 1, 1],
        );
      },
    );

    story('a deadline is kept although the manager was killed', async (world) => {
      const job = world.job('a', { timeoutMs: 700, killGraceMs: 100 });
      const dead = manager(world, [job]);
      await until('it runs', () => world.starts('a') === 1);
      await dead.kill();
      const log = new EventLog();
      const found = await world.open(log).recover(job, undefined);
      const outcome = found === 'running' ? await log.end('a') : found;
      assert.equal(outcome.kind, 'timeout');
    });

    story(
      'after kills at random moments no job has run twice and none that ended is forgotten',
      async (world) => {
        for (let round = 0; round < CAMPAIGN_ROUNDS; round += 1) {
          const jobs = Array.from({ length: 40 }, (_, index) =>
            world.script(`r${round}-${index}`, 'echo x >> starts; exit 4'),
          );
          const victim = manager(world, jobs, 2);
          await until('something ran', () => jobs.some((job) => world.starts(job.key) > 0));
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
          if (round % 3 === 2) killLauncher(jobs);
          await victim.kill();
          const log = new EventLog();
          const backend = world.open(log);
          for (const job of jobs) {
            const found = await backend.recover(job, undefined);
            const outcome = found === 'running' ? await log.end(job.key) : found;
            checkOnce(job, outcome, world.starts(job.key));
          }
          for (const key of victim.ended)
            assert.notEqual(
              readJournal(world.job(key).directory).kind,
              'absent',
              `${key} was reported and forgotten`,
            );
          await backend.close();
        }
      },
    );
  });
}

function checkOnce(job: BackendJob, outcome: JobOutcome, starts: number): void {
  assert.ok(starts <= 1, `${job.key} ran ${starts} times`);
  if (outcome.kind === 'exited') {
    assert.equal(outcome.exitCode, 4);
    assert.equal(starts, 1);
  } else {
    assert.equal(outcome.kind, 'lost');
    const state = readJournal(job.directory);
    if (state.kind === 'fenced') assert.equal(starts, 0, `${job.key} is fenced but ran`);
  }
}

function killLauncher(jobs: readonly BackendJob[]): void {
  for (const job of jobs) {
    const state = readJournal(job.directory);
    if (state.kind !== 'started' || !isAlive(state.start.launcher)) continue;
    process.kill(state.start.launcher.pid, 'SIGKILL');
    return;
  }
}

function startOf(job: BackendJob): JobStart {
  const state = readJournal(job.directory);
  assert.ok(state.kind === 'started' || state.kind === 'ended', state.kind);
  return state.start;
}

function kindOf(found: 'running' | JobOutcome): string {
  return found === 'running' ? found : found.kind;
}

function tryRead(world: LocalWorld, key: string, file: string): string {
  try {
    return world.read(key, file);
  } catch {
    return '';
  }
}
