// Attempts as processes of this machine. A launcher starts them; journals in the attempts' directories make it exactly
// once (I4) and let another process take over: see job-journal.ts for the fence and adopted-jobs.ts for recovery.
import { availableParallelism, totalmem } from 'node:os';
import type { Backend, BackendEvents, BackendJob, JobOutcome } from '../../core/ports/backend.ts';
import { AdoptedJobs, examineJob } from './adopted-jobs.ts';
import { startCLauncher } from './c-launcher.ts';
import { checkJob } from './check-job.ts';
import { compileLauncher } from './compile-launcher.ts';
import { localErrors } from './error-codes.ts';
import { readJournal } from './job-journal.ts';
import type { Launcher, LauncherEvents, LauncherLimits } from './launcher.ts';
import { thisMachine } from './process-identity.ts';
import type { Sandbox } from './sandbox.ts';
import { startShLauncher } from './sh-launcher.ts';

export interface LocalBackendOptions {
  /** Where the compiled launcher is kept; shared by processes and kept between them. */
  readonly cacheDirectory: string;
  readonly events: BackendEvents;
  readonly cores?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly queueAhead?: number | undefined;
  /** `auto` is `c` where it compiles and starts, else `sh`. */
  readonly launcher?: 'auto' | 'c' | 'sh' | undefined;
  readonly compiler?: string | undefined;
  /**
   * Limits the data of each process of a job to the job's declared memory (RLIMIT_DATA). Off by default: a declaration is
   * for placing, and a program may map much that it never touches. The address space (RLIMIT_AS) is never limited, because
   * Java, Go and Node reserve far more than they use.
   */
  readonly enforceMemory?: boolean | undefined;
  /** Confines jobs before they are started. */
  readonly sandbox?: Sandbox | undefined;
  /** Told once when `auto` has to make do with `sh`, and why. */
  readonly warn?: ((message: string) => void) | undefined;
}

const MOST_LAUNCHES = 3;
const neverStarted = 'it was never started';

/** Short jobs last for about 25 ms of an event loop that is busy committing (bench/spawn.ts: no gain above it). */
const LEAST_QUEUE_AHEAD = 256;

interface Flight {
  readonly job: BackendJob;
  launches: number;
  cancelled: boolean;
}

/** The back-end of local processes. Nothing is started before the first job. */
export function createLocalBackend(options: LocalBackendOptions): Backend {
  return new LocalBackend(options);
}

class LocalBackend implements Backend {
  readonly name = 'local';
  readonly ownHandle = `local:${thisMachine().host}`;
  readonly #options: LocalBackendOptions;
  readonly #limits: LauncherLimits;
  readonly #flights = new Map<string, Flight>();
  readonly #adopted: AdoptedJobs;
  readonly #reserved = { millicores: 0, memoryBytes: 0 };
  #launcher: Launcher | undefined;
  #starting: Promise<Launcher> | undefined;
  #closed = false;

  constructor(options: LocalBackendOptions) {
    this.#options = options;
    this.#limits = {
      millicores: Math.round((options.cores ?? availableParallelism()) * 1000),
      memoryBytes: options.memoryBytes ?? totalmem(),
      enforceMemory: options.enforceMemory ?? false,
    };
    this.#adopted = new AdoptedJobs({
      ended: (key, outcome) => this.#finish(key, outcome),
      reserve: (millicores, memoryBytes) => this.#reserve(millicores, memoryBytes),
    });
  }

  capacity() {
    const cores = this.#limits.millicores / 1000;
    const queueAhead = this.#options.queueAhead ?? Math.max(LEAST_QUEUE_AHEAD, Math.ceil(8 * cores));
    return { cores, memoryBytes: this.#limits.memoryBytes, queueAhead };
  }

  async submit(given: BackendJob): Promise<string> {
    checkJob(given);
    const job = this.#options.sandbox ? await this.#options.sandbox.confine(given) : given;
    if (this.#flights.has(job.key) || this.#adopted.has(job.key))
      throw localErrors.LOCAL_JOB_DUPLICATE(job.key);
    const flight: Flight = { job, launches: 0, cancelled: false };
    this.#flights.set(job.key, flight);
    try {
      await this.#launch(flight);
    } catch (error) {
      this.#flights.delete(job.key);
      throw error;
    }
    return this.ownHandle;
  }

  async recover(job: Pick<BackendJob, 'key' | 'directory'>): Promise<'running' | JobOutcome> {
    const { key, directory } = job;
    if (this.#flights.has(key) || this.#adopted.has(key)) return 'running';
    try {
      const examined = await examineJob(directory, neverStarted);
      if (examined.kind === 'lost' && examined.reason === neverStarted)
        return { ...examined, unstarted: true };
      if (examined.kind !== 'running') return examined;
      this.#adopted.adopt(key, directory, examined.start);
      return 'running';
    } catch (error) {
      throw localErrors.LOCAL_JOURNAL_FAILED.with({ cause: error }, key, (error as Error).message);
    }
  }

  async cancel(key: string): Promise<void> {
    const flight = this.#flights.get(key);
    if (flight) flight.cancelled = true;
    if (this.#adopted.has(key)) this.#adopted.cancel(key);
    else if (flight) this.#launcher?.cancel(key);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#adopted.close();
    this.#launcher?.close();
    this.#flights.clear();
  }

  async #launch(flight: Flight): Promise<void> {
    const launcher = this.#launcher ?? (await this.#startLauncher());
    if (this.#closed) throw localErrors.LOCAL_LAUNCHER_FAILED('the launcher', 'the back-end is closed');
    if (flight.cancelled) return this.#finish(flight.job.key, { kind: 'cancelled' });
    flight.launches += 1;
    launcher.submit(flight.job);
  }

  async #startLauncher(): Promise<Launcher> {
    this.#starting ??= this.#chooseLauncher().then(
      (launcher) => {
        this.#starting = undefined;
        if (this.#closed) launcher.close();
        const { millicores, memoryBytes } = this.#reserved;
        if (millicores !== 0 || memoryBytes !== 0) launcher.reserve(millicores, memoryBytes);
        this.#launcher = launcher;
        return launcher;
      },
      (error) => {
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting;
  }

  async #chooseLauncher(): Promise<Launcher> {
    const { launcher = 'auto', compiler = 'cc', cacheDirectory, warn } = this.#options;
    if (launcher !== 'sh') {
      try {
        const program = await compileLauncher(cacheDirectory, compiler);
        return await startCLauncher(program, this.#limits, this.#launcherEvents);
      } catch (error) {
        if (launcher === 'c') throw error;
        warn?.(`${(error as Error).message}; using the slower launcher sh`);
      }
    }
    return startShLauncher(this.#limits, this.#launcherEvents);
  }

  readonly #launcherEvents: LauncherEvents = {
    started: (key, at) => {
      if (this.#flights.has(key)) this.#options.events.started(key, at);
    },
    ended: (key, outcome) => this.#finish(key, this.#certain(key, outcome)),
    dropped: (key, reason, again) => this.#settle(key, reason, again),
    died: () => {
      this.#launcher = undefined;
    },
  };

  /** Finds out what became of a job that its launcher dropped; one that never started gets another launcher. */
  async #settle(key: string, reason: string, again: boolean): Promise<void> {
    const flight = this.#flights.get(key);
    if (flight === undefined) return;
    const outcome = await this.#findOutcome(flight, reason, again);
    if (outcome !== undefined) this.#finish(key, outcome);
  }

  /** Undefined when its end is still to come. */
  async #findOutcome(flight: Flight, reason: string, again: boolean): Promise<JobOutcome | undefined> {
    const { key, directory } = flight.job;
    try {
      if (again && flight.launches < MOST_LAUNCHES && readJournal(directory).kind === 'absent') {
        await this.#launch(flight);
        return undefined;
      }
      const examined = await examineJob(directory, reason);
      if (examined.kind !== 'running') return examined;
      this.#adopted.adopt(key, directory, examined.start);
      return undefined;
    } catch (error) {
      return { kind: 'lost', reason: `${reason}; ${(error as Error).message}` };
    }
  }

  /** What runs in a container is not the launcher's child: it cannot vouch for it. */
  #certain(key: string, outcome: JobOutcome): JobOutcome {
    const contained = this.#flights.get(key)?.job.confine === 'container';
    return outcome.kind === 'exited' && contained ? { ...outcome, swept: undefined } : outcome;
  }

  #finish(key: string, outcome: JobOutcome): void {
    this.#flights.delete(key);
    if (!this.#closed) this.#options.events.ended(key, outcome);
  }

  #reserve(millicores: number, memoryBytes: number): void {
    this.#reserved.millicores += millicores;
    this.#reserved.memoryBytes += memoryBytes;
    this.#launcher?.reserve(millicores, memoryBytes);
  }
}
