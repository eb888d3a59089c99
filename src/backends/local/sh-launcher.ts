// The launcher that needs nothing but sh, setsid(1) and /proc: keeps the queue here and gives each job to an idle shell
// (launcher.sh). Order and fitting are those of launcher.c. How a job ended is read from its journal.
import type { BackendJob } from '../../core/ports/backend.ts';
import { stopJob } from './adopted-jobs.ts';
import type { JournalState, StopMark } from './job-journal.ts';
import { readJournal } from './job-journal.ts';
import { jobScript } from './job-script.ts';
import type { Launcher, LauncherEvents, LauncherLimits } from './launcher.ts';
import { demandOf, graceOf, timeoutOf } from './launcher.ts';
import type { Shell } from './shell.ts';
import { startShell } from './shell.ts';

const ANNOUNCE_MS = 150;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface RunningJob {
  readonly job: BackendJob;
  readonly demand: ReturnType<typeof demandOf>;
  readonly timers: Set<NodeJS.Timeout>;
  stopping: boolean;
}

/** Starts the first shell; resolves when it has answered. */
export async function startShLauncher(limits: LauncherLimits, events: LauncherEvents): Promise<Launcher> {
  const launcher = new ShLauncher(limits, events);
  await launcher.open();
  return launcher;
}

class ShLauncher implements Launcher {
  readonly kind = 'sh';
  readonly #limits: LauncherLimits;
  readonly #events: LauncherEvents;
  readonly #queue: BackendJob[] = [];
  readonly #running = new Map<string, RunningJob>();
  readonly #shells = new Set<Shell>();
  readonly #idle: Shell[] = [];
  #freeMillicores: number;
  #freeMemory: number;
  #closed = false;

  constructor(limits: LauncherLimits, events: LauncherEvents) {
    this.#limits = limits;
    this.#events = events;
    this.#freeMillicores = limits.millicores;
    this.#freeMemory = limits.memoryBytes;
  }

  async open(): Promise<void> {
    const shell = this.#addShell();
    await shell.ready;
    this.#idle.push(shell);
  }

  submit(job: BackendJob): void {
    const after = this.#queue.findLastIndex((other) => other.priority >= job.priority);
    this.#queue.splice(after + 1, 0, job);
    queueMicrotask(() => this.#startWhatFits());
  }

  cancel(key: string): void {
    const at = this.#queue.findIndex((job) => job.key === key);
    if (at >= 0) {
      this.#queue.splice(at, 1);
      this.#events.ended(key, { kind: 'cancelled' });
    } else {
      this.#stop(key, 'cancelled');
    }
  }

  reserve(millicores: number, memoryBytes: number): void {
    this.#freeMillicores -= millicores;
    this.#freeMemory -= memoryBytes;
    queueMicrotask(() => this.#startWhatFits());
  }

  close(): void {
    this.#closed = true;
    for (const { timers } of this.#running.values()) for (const timer of timers) clearTimeout(timer);
    for (const shell of this.#shells) shell.close();
  }

  #startWhatFits(): void {
    for (let head = this.#queue[0]; head !== undefined && !this.#closed; head = this.#queue[0]) {
      const demand = this.#fit(head);
      if (demand.millicores > this.#freeMillicores || demand.memoryBytes > this.#freeMemory) return;
      this.#queue.shift();
      this.#start(head, demand);
    }
  }

  #fit(job: BackendJob): ReturnType<typeof demandOf> {
    const demand = demandOf(job);
    const { millicores, memoryBytes } = this.#limits;
    return demand.millicores > millicores || demand.memoryBytes > memoryBytes
      ? { millicores, memoryBytes }
      : demand;
  }

  #start(job: BackendJob, demand: ReturnType<typeof demandOf>): void {
    this.#freeMillicores -= demand.millicores;
    this.#freeMemory -= demand.memoryBytes;
    const running: RunningJob = { job, demand, timers: new Set(), stopping: false };
    this.#running.set(job.key, running);
    this.#later(running, ANNOUNCE_MS, () => this.#announce(job));
    const timeoutMs = timeoutOf(job);
    if (timeoutMs > 0) this.#keepDeadline(running, Date.now() + timeoutMs);
    const shell = this.#idle.pop() ?? this.#addShell();
    const script = jobScript(job, demand, this.#limits.enforceMemory, shell.cpuSeconds);
    shell.run(script, (reason) => this.#ended(running, shell, reason));
  }

  #ended(running: RunningJob, shell: Shell, shellDied: string | undefined): void {
    const { job, demand, timers } = running;
    for (const timer of timers) clearTimeout(timer);
    this.#running.delete(job.key);
    this.#freeMillicores += demand.millicores;
    this.#freeMemory += demand.memoryBytes;
    if (this.#closed) return;
    if (shellDied === undefined) this.#idle.push(shell);
    else this.#shells.delete(shell);
    const state = look(job);
    if (state.kind === 'ended') {
      shell.addCpu('cpuSeconds' in state.outcome ? state.outcome.cpuSeconds : undefined);
      this.#events.ended(job.key, state.outcome);
    } else if (shellDied === undefined) {
      const reason = state.kind === 'absent' ? 'cannot create its log files or its journal' : 'taken';
      this.#events.dropped(job.key, reason, false);
    } else {
      this.#events.dropped(job.key, shellDied, true);
    }
    this.#startWhatFits();
  }

  #announce(job: BackendJob): void {
    const state = look(job);
    if (state.kind === 'started') this.#events.started(job.key, state.start.startedAt);
  }

  #keepDeadline(running: RunningJob, at: number): void {
    this.#later(running, Math.min(at - Date.now(), LONGEST_TIMER_MS), () => {
      if (Date.now() < at) this.#keepDeadline(running, at);
      else this.#stop(running.job.key, 'timeout');
    });
  }

  #stop(key: string, mark: StopMark): void {
    const running = this.#running.get(key);
    if (running === undefined || running.stopping) return;
    const { job } = running;
    const state = look(job);
    if (state.kind !== 'started') {
      // The shell has not come to it yet, or is about to tell its end.
      this.#later(running, 10, () => this.#stop(key, mark));
      return;
    }
    running.stopping = true;
    stopJob(job.directory, state.start, mark, 'SIGTERM');
    this.#later(running, graceOf(job), () => stopJob(job.directory, state.start, mark, 'SIGKILL'));
  }

  #later(running: RunningJob, ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      running.timers.delete(timer);
      act();
    }, ms);
    running.timers.add(timer);
  }

  #addShell(): Shell {
    const shell = startShell();
    this.#shells.add(shell);
    return shell;
  }
}

/** A journal that cannot be read is no reason to stop here; whoever settles the job says so. */
function look(job: BackendJob): JournalState {
  try {
    return readJournal(job.directory);
  } catch {
    return { kind: 'undecided' };
  }
}
