// The client of launcher.c: one small process, started once, to which frames are written and from which lines are read.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { BackendJob } from '../../core/ports/backend.ts';
import { localErrors } from './error-codes.ts';
import { parseEnd } from './job-journal.ts';
import type { Launcher, LauncherEvents, LauncherLimits } from './launcher.ts';
import { demandOf, graceOf, timeoutOf } from './launcher.ts';
import { thisMachine } from './process-identity.ts';

/** Starts the compiled launcher; resolves when it has answered. */
export async function startCLauncher(
  program: string,
  limits: LauncherLimits,
  events: LauncherEvents,
): Promise<Launcher> {
  const { host, boot } = thisMachine();
  const child = spawn(program, [String(limits.millicores), String(limits.memoryBytes), host, boot], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    cwd: '/',
  });
  const { promise, resolve, reject } = Promise.withResolvers<Launcher>();
  const launcher = new CLauncher(child, limits, events, () => resolve(launcher), reject);
  return promise;
}

class CLauncher implements Launcher {
  readonly kind = 'c';
  readonly #child: ChildProcess;
  readonly #limits: LauncherLimits;
  readonly #events: LauncherEvents;
  readonly #keys = new Set<string>();
  #unsent = '';
  #unread = '';
  #closed = false;

  constructor(
    child: ChildProcess,
    limits: LauncherLimits,
    events: LauncherEvents,
    ready: () => void,
    failed: (error: Error) => void,
  ) {
    this.#child = child;
    this.#limits = limits;
    this.#events = events;
    const fail = (reason: string) => {
      failed(localErrors.LOCAL_LAUNCHER_FAILED(child.spawnfile, reason));
      this.#die(reason);
    };
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`));
    // A write to a launcher that died fails here too; `exit` tells.
    child.stdin!.on('error', () => {});
    child.stdout!.setEncoding('utf8');
    child.stdout!.on('data', (text: string) => this.#read(text, ready));
  }

  submit(job: BackendJob): void {
    if (this.#closed) {
      queueMicrotask(() => this.#events.dropped(job.key, 'the launcher is gone', true));
      return;
    }
    const { millicores, memoryBytes } = demandOf(job);
    this.#keys.add(job.key);
    const fields = ['submit', job.key, job.directory, job.cwd, job.stdin ?? '', job.stdout, job.stderr];
    fields.push(`${millicores}`, `${memoryBytes}`, `${Math.round(job.priority)}`, `${timeoutOf(job)}`);
    fields.push(`${graceOf(job)}`, `${this.#limits.enforceMemory ? memoryBytes : 0}`);
    fields.push(`${job.argv.length}`, ...job.argv);
    for (const name in job.env) fields.push(`${name}=${job.env[name]}`);
    this.#send(fields);
  }

  cancel(key: string): void {
    this.#send(['cancel', key]);
  }

  reserve(millicores: number, memoryBytes: number): void {
    this.#send(['reserve', `${millicores}`, `${memoryBytes}`]);
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    this.#child.stdin!.end();
    this.#child.stdout!.destroy();
    this.#child.unref();
  }

  /** Frames of one turn of the event loop travel in one write. */
  #send(fields: readonly string[]): void {
    if (this.#unsent === '') queueMicrotask(() => this.#flush());
    const payload = `${fields.join('\0')}\0`;
    this.#unsent += `${Buffer.byteLength(payload)}\n${payload}`;
  }

  #flush(): void {
    const text = this.#unsent;
    this.#unsent = '';
    if (text !== '' && !this.#closed) this.#child.stdin!.write(text);
  }

  #read(text: string, ready: () => void): void {
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop()!;
    for (const line of lines) {
      if (this.#closed) return;
      const [verb, key = '', ...fields] = line.split(' ');
      if (verb === 'ended') {
        this.#keys.delete(key);
        const outcome = parseEnd(Number(fields[0]), fields.slice(1));
        const swept = outcome.kind === 'exited' && fields.at(-1) === 'swept';
        this.#events.ended(key, swept ? { ...outcome, swept } : outcome);
      } else if (verb === 'started') {
        this.#events.started(key, Number(fields[0]));
      } else if (verb === 'refused') {
        this.#keys.delete(key);
        this.#events.dropped(key, fields.join(' '), false);
      } else if (verb === 'ready') {
        ready();
      }
    }
  }

  #die(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#events.died(reason);
    for (const key of this.#keys) this.#events.dropped(key, reason, true);
  }
}
