// What back-ends promise that execute commands as processes of this machine.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { LocalBackendOptions } from '../../src/backends/local/local-backend.ts';
import { isAlive } from '../../src/backends/local/process-identity.ts';
import type { Backend, BackendJob, JobOutcome } from '../../src/core/ports/backend.ts';
import { EventLog, until } from './event-log.ts';
import type { LauncherKind } from './local-world.ts';
import { LocalWorld } from './local-world.ts';

interface Scene {
  readonly world: LocalWorld;
  readonly backend: Backend;
  readonly log: EventLog;
  /** Submits a shell script and waits for its end. */
  run(
    script: string,
    fields?: Partial<BackendJob>,
  ): Promise<Extract<Awaited<ReturnType<EventLog['end']>>, object>>;
  read(file: string): string;
  /** What the job wrote so far; nothing before it starts. */
  logged(): string;
}

/** Declares the suite for one launcher. */
export function processContract(launcher: LauncherKind): void {
  const scene = (
    title: string,
    play: (s: Scene) => Promise<void>,
    options: Partial<LocalBackendOptions> = {},
  ) =>
    test(title, async () => {
      await using world = new LocalWorld(launcher);
      const log = new EventLog();
      const backend = world.open(log, { cores: 2, ...options });
      await play({
        world,
        backend,
        log,
        async run(script, fields = {}) {
          await backend.submit(world.script('job', script, fields));
          return log.end('job');
        },
        read: (file) => world.read('job', file),
        logged: () => (existsSync(join(world.root, 'job', 'stdout')) ? world.read('job', 'stdout') : ''),
      });
    });

  suite(`processes behave with the launcher in ${launcher}`, { concurrency: 3 }, () => {
    scene('the exit code is reported with times and CPU seconds', async (s) => {
      const outcome = await s.run('i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 42');
      assert.equal(outcome.kind, 'exited');
      assert.ok(outcome.kind === 'exited');
      assert.equal(outcome.exitCode, 42);
      assert.equal(outcome.signal, undefined);
      assert.ok(outcome.cpuSeconds! > 0, `${outcome.cpuSeconds} s of CPU`);
      assert.ok(Math.abs(outcome.endedAt - Date.now()) < 60_000 && outcome.startedAt <= outcome.endedAt);
      if (launcher === 'c') assert.ok(outcome.peakMemoryBytes! > 100_000);
    });

    scene('death by a signal is reported by its name', async (s) => {
      const outcome = await s.run('kill -KILL $$');
      assert.ok(outcome.kind === 'exited');
      assert.deepEqual([outcome.exitCode, outcome.signal], [137, 'SIGKILL']);
    });

    scene('the environment is exactly what was given', async (s) => {
      const env = { PATH: '/usr/bin:/bin', EMPTY: '', 'odd-name.x': '1', TEXT: 'a\nb \'c\' "d" $e \\ ü' };
      await s.run('', { env, argv: ['env', '-0'] });
      const seen = s.read('stdout').split('\0').slice(0, -1);
      assert.deepEqual(Object.fromEntries(seen.map((line) => line.split(/=(.*)/s).slice(0, 2))), env);
      assert.equal(seen.length, 4);
    });

    scene('arguments arrive as they are, without a shell', async (s) => {
      const words = ['', ' ', "it's", '$HOME', 'a\nb', '*', '-n', '"', '\\', 'ü€', '--'];
      await s.run('', { argv: ['printf', '<%s>', ...words] });
      assert.equal(s.read('stdout'), words.map((word) => `<${word}>`).join(''));
    });

    scene('the command is looked up in the PATH of the job', async (s) => {
      const bin = join(s.world.root, 'my bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'greet'), '#!/bin/sh\necho hello\n');
      chmodSync(join(bin, 'greet'), 0o755);
      await s.run('', { argv: ['greet'], env: { PATH: `/nowhere:${bin}:/bin` } });
      assert.equal(s.read('stdout'), 'hello\n');
    });

    scene('it runs in its directory and reads its input file', async (s) => {
      const cwd = join(s.world.root, 'here it is');
      mkdirSync(cwd);
      writeFileSync(join(cwd, 'in'), 'given\n');
      await s.run('pwd; cat', { cwd, stdin: join(cwd, 'in') });
      assert.equal(s.read('stdout'), `${cwd}\ngiven\n`);
    });

    scene('without an input file, input is empty', async (s) => {
      const outcome = await s.run('cat; readlink /proc/self/fd/0');
      assert.equal(s.read('stdout'), '/dev/null\n');
      assert.equal(outcome.kind, 'exited');
    });

    scene(
      'it inherits no other open file, no blocked and no ignored signal, and leads its own session',
      async (s) => {
        await s.run('', {
          argv: [
            'sh',
            '-c',
            'ls /proc/self/fd | wc -l; grep -E "^Sig(Blk|Ign)" /proc/self/status; ps -o pid=,pgid=,sid= -p $$',
          ],
        });
        const [files, blocked, ignored, ids] = s.read('stdout').split('\n');
        if (launcher === 'c') assert.equal(Number(files), 4, 'three and the one that ls itself opens');
        assert.match(blocked!, /^SigBlk:\s0+$/);
        assert.match(ignored!, /^SigIgn:\s0+$/);
        assert.equal(new Set(ids!.trim().split(/\s+/)).size, 1);
      },
    );

    scene('logs are appended to and can be followed while it runs', async (s) => {
      const job = s.world.script(
        'job',
        'echo one; echo two >&2; until [ -e go ]; do sleep 0.01; done; echo three',
      );
      writeFileSync(job.stdout, 'before\n');
      await s.backend.submit(job);
      await until('the log shows', () => s.logged() === 'before\none\n' && s.read('stderr') === 'two\n');
      s.world.release('job', 0);
      await s.log.exit('job');
      assert.equal(s.read('stdout'), 'before\none\nthree\n');
    });

    scene('output and errors may go to one file, in order', async (s) => {
      const log = join(s.world.root, 'both');
      await s.run('echo 1; echo 2 >&2; echo 3; echo 4 >&2', { stdout: log, stderr: log });
      assert.equal(readFileSync(log, 'utf8'), '1\n2\n3\n4\n');
    });

    const failures = {
      'a command that does not exist is exit code 127': [
        127,
        (s: Scene) => s.run('', { argv: ['no-such-command'] }),
      ],
      'a file that is no program is exit code 126': [126, (s: Scene) => s.run('', { argv: ['/etc/passwd'] })],
      'a directory that does not exist is exit code 126': [126, (s: Scene) => s.run('', { cwd: '/no/such' })],
      'an input that does not exist is exit code 126': [126, (s: Scene) => s.run('', { stdin: '/no/such' })],
    } as const;
    for (const [title, [code, run]] of Object.entries(failures))
      scene(`${title}, and the log says why`, async (s) => {
        const outcome = await run(s);
        assert.ok(outcome.kind === 'exited');
        assert.equal(outcome.exitCode, code);
        assert.notEqual(s.read('stderr'), '');
      });

    scene('a job whose log cannot be opened is lost with a reason, and never starts', async (s) => {
      const outcome = await s.run('echo > ran', { stdout: '/no/such/log' });
      assert.equal(outcome.kind, 'lost');
      assert.throws(() => s.read('ran'));
      assert.deepEqual(await s.backend.recover(s.world.job('job'), undefined), outcome);
    });

    scene('a job whose directory is gone is lost with a reason', async (s) => {
      const job = s.world.script('job', 'true', { cwd: '/', stdout: '/dev/null', stderr: '/dev/null' });
      rmSync(job.directory, { recursive: true });
      await s.backend.submit(job);
      assert.equal((await s.log.end('job')).kind, 'lost');
      mkdirSync(job.directory);
    });

    scene('a job that outlives its time gets TERM and may clean up', async (s) => {
      const script = 'trap "echo cleaned; exit 0" TERM; echo ready; while :; do sleep 0.01; done';
      const outcome = await s.run(script, { timeoutMs: 200 });
      assert.ok(outcome.kind === 'timeout');
      assert.equal(s.read('stdout'), 'ready\ncleaned\n');
      assert.ok(outcome.endedAt - outcome.startedAt >= 195);
    });

    scene('a job that ignores TERM is killed after the grace', async (s) => {
      const script = 'trap "" TERM; echo $$; while :; do sleep 0.01; done';
      const outcome = await s.run(script, { timeoutMs: 100, killGraceMs: 100 });
      assert.equal(outcome.kind, 'timeout');
      assert.ok(!isAlive({ pid: Number(s.read('stdout')), ticks: 0 }));
    });

    scene('a cancelled job takes its grandchildren with it', async (s) => {
      const script = 'trap "" TERM; (trap "" TERM; sh -c "echo \\$\\$; sleep 60; true") & wait';
      await s.backend.submit(s.world.script('job', script, { killGraceMs: 50 }));
      await until('the grandchild runs', () => s.logged().endsWith('\n'));
      await s.backend.cancel('job');
      assert.equal((await s.log.end('job')).kind, 'cancelled');
      await gone(Number(s.read('stdout')));
    });

    scene('what a job leaves in the background is killed at its end', async (s) => {
      const outcome = await s.run('sh -c "trap \\"\\" TERM HUP; sleep 60; true" & echo $!');
      assert.equal(outcome.kind, 'exited');
      await gone(Number(s.read('stdout')));
    });

    if (launcher === 'c') {
      scene('a daemon that left its session is killed too, and another job is left alone', async (s) => {
        await s.backend.submit(s.world.job('other'));
        await until('the other runs', () => s.world.starts('other') === 1);
        const script =
          'setsid sh -c "echo \\$\\$; setsid sleep 60 & sleep 60; true" & until [ -s stdout ]; do sleep 0.01; done';
        const directory = join(s.world.root, 'job');
        const outcome = await s.run(script, {
          env: { PATH: '/usr/bin:/bin', VARVE_OUTPUT: `${directory}/out` },
        });
        assert.equal(outcome.kind, 'exited');
        await gone(Number(s.read('stdout')));
        assert.ok(isAlive({ pid: Number(s.world.read('other', 'starts')), ticks: 0 }));
        s.world.release('other', 0);
        assert.equal((await s.log.exit('other')).exitCode, 0);
      });

      scene('a daemon that hides altogether is killed once no job runs', async (s) => {
        const script =
          'cd /; env -i /usr/bin/setsid /bin/sh -c "echo \\$\\$; /bin/sleep 60; true" & until [ -s "$OUT" ]; do sleep 0.01; done';
        await s.run(script, { env: { PATH: '/usr/bin:/bin', OUT: join(s.world.root, 'job', 'stdout') } });
        await gone(Number(s.read('stdout')));
      });

      scene(
        'it is certain that no process is left of a job, unless one hides while others run',
        async (s) => {
          const swept = (outcome: JobOutcome) => outcome.kind === 'exited' && outcome.swept;
          assert.equal(swept(await s.run('sleep 60 & exit 3')), true);
          await s.backend.submit(s.world.job('other'));
          await until('the other runs', () => s.world.starts('other') === 1);
          const hide =
            'cd /; env -i /usr/bin/setsid /bin/sh -c "echo x; exec /bin/sleep 60" & until [ -s "$OUT" ]; do sleep 0.01; done';
          const env = { PATH: '/usr/bin:/bin', OUT: join(s.world.root, 'hiding', 'stdout') };
          await s.backend.submit(s.world.script('hiding', hide, { env }));
          assert.equal(swept(await s.log.end('hiding')), undefined);
          s.world.release('other', 0);
          assert.equal(swept(await s.log.end('other')), true);
          await s.backend.submit(s.world.script('contained', 'true', { confine: 'container' }));
          assert.equal(swept(await s.log.end('contained')), undefined);
        },
      );
    }

    scene('a job that runs for a while is reported started, once', async (s) => {
      await s.backend.submit(s.world.job('job'));
      await until('it is reported', () => s.log.startedAt.has('job'));
      s.world.release('job', 0);
      const outcome = await s.log.exit('job');
      assert.equal(s.log.startedAt.get('job'), outcome.startedAt);
    });

    scene('five hundred short jobs are each run once and reported once', async (s) => {
      const keys = Array.from({ length: 500 }, (_, index) => `short-${index}`);
      await Promise.all(keys.map((key) => s.backend.submit(s.world.script(key, 'echo x >> ran'))));
      for (const key of keys) assert.equal((await s.log.exit(key)).exitCode, 0);
      for (const key of keys) assert.equal(s.world.read(key, 'ran'), 'x\n');
      assert.equal(s.log.outcomes.size, 500);
    });

    scene(
      'at no moment do running jobs take more cores than there are',
      async (s) => {
        const trace = join(s.world.root, 'trace');
        const keys = Array.from({ length: 40 }, (_, index) => `job-${index}`);
        for (const [index, key] of keys.entries()) {
          const cores = (index % 3) + 1;
          const script = `echo +${cores} >> '${trace}'; sleep 0.01; echo -${cores} >> '${trace}'`;
          await s.backend.submit(s.world.script(key, script, { resources: { cores } }));
        }
        for (const key of keys) await s.log.exit(key);
        let used = 0;
        for (const line of readFileSync(trace, 'utf8').trim().split('\n')) {
          used += Number(line);
          assert.ok(used <= 3, `${used} cores in use`);
        }
        assert.equal(used, 0);
      },
      { cores: 3 },
    );

    scene(
      'where memory is enforced, a job cannot take more than it declared',
      async (s) => {
        const hungry = 'x=x; while :; do x=$x$x; done';
        const outcome = await s.run(hungry, { resources: { cores: 1, memoryBytes: 2 ** 25 } });
        assert.ok(outcome.kind === 'exited');
        assert.notEqual(outcome.exitCode, 0);
      },
      { enforceMemory: true },
    );

    scene('jobs that no system could start are refused before anything happens', async (s) => {
      const wrong: Partial<BackendJob>[] = [
        { key: 'a/b' },
        { argv: [] },
        { argv: ['echo', 'a\0b'] },
        { env: { 'A=B': '1' } },
        { cwd: 'relative' },
        { resources: { cores: Number.NaN } },
      ];
      for (const fields of wrong)
        await assert.rejects(s.backend.submit(s.world.job('job', fields)), { code: 'LOCAL_JOB_INVALID' });
    });

    scene('one key is not submitted twice', async (s) => {
      await s.backend.submit(s.world.job('job'));
      await assert.rejects(s.backend.submit(s.world.job('job')), { code: 'LOCAL_JOB_DUPLICATE' });
      assert.equal(await s.backend.recover(s.world.job('job'), undefined), 'running');
      s.world.release('job', 0);
      await s.log.exit('job');
    });

    scene('a job that is cancelled before its launcher runs never starts', async (s) => {
      const submitted = s.backend.submit(s.world.job('job'));
      await s.backend.cancel('job');
      await submitted;
      assert.equal((await s.log.end('job')).kind, 'cancelled');
      assert.equal(s.world.starts('job'), 0);
    });
  });
}

async function gone(pid: number): Promise<void> {
  assert.ok(pid > 1);
  await until(`process ${pid} is gone`, () => !isAlive({ pid, ticks: 0 }));
}
