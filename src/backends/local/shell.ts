// One persistent shell that runs launcher.sh: one job at a time.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { assetPath } from '../../assets.ts';
import { localErrors } from './error-codes.ts';

/** Where sh finds setsid and env; the job's own PATH is what the job finds. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

export interface Shell {
  /** Resolves when the shell has answered; rejects when it cannot serve. */
  readonly ready: Promise<void>;
  /** Seconds that its jobs have used so far. */
  readonly cpuSeconds: number;
  /** Runs one job; `done` is called with nothing at its end, or with a reason when the shell died. */
  run(script: string, done: (died: string | undefined) => void): void;
  addCpu(seconds: number | undefined): void;
  close(): void;
}

/** Starts a shell in a session of its own, so that it outlives this process until its job has ended. */
export function startShell(): Shell {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  ready.catch(() => {});
  if (!existsSync('/proc/self/stat')) reject(localErrors.LOCAL_LAUNCHER_FAILED('sh', 'there is no /proc'));
  const child = spawn('/bin/sh', ['-s'], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH },
    cwd: '/',
  });
  let current: ((died: string | undefined) => void) | undefined;
  let closed = false;
  let dead: string | undefined;
  let cpuSeconds = 0;
  const finish = (died: string | undefined): void => {
    const done = current;
    current = undefined;
    if (!closed) done?.(died);
  };
  const die = (reason: string): void => {
    reject(localErrors.LOCAL_LAUNCHER_FAILED('sh', reason));
    dead = `its shell ${reason}`;
    finish(dead);
  };
  child.on('error', (error) => die(error.message));
  child.on('exit', (code, signal) => die(`ended with ${signal ?? `exit code ${code}`}`));
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    if (text.includes('unfit')) reject(localErrors.LOCAL_LAUNCHER_FAILED('sh', 'there is no setsid(1)'));
    if (text.includes('ready')) resolve();
    if (text.includes('done')) finish(undefined);
  });
  child.stdin.write(readFileSync(assetPath('backends/local/launcher.sh')));
  return {
    ready,
    get cpuSeconds() {
      return cpuSeconds;
    },
    run(script, done) {
      current = done;
      if (dead === undefined) child.stdin.write(script);
      else queueMicrotask(() => finish(dead));
    },
    addCpu(seconds) {
      cpuSeconds += seconds ?? 0;
    },
    close() {
      closed = true;
      child.stdin.end();
      child.stdout.destroy();
      child.unref();
    },
  };
}
