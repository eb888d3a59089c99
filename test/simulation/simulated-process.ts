// One process of the simulation: the real engine between ports that can be slow, fail, lie about a commit, or end with the process.
import { ScriptedBackend, type ScriptedWorld } from '../../src/backends/scripted.ts';
import type { Backend, BackendEvents, BackendJob } from '../../src/core/ports/backend.ts';
import type { DatasetStorage } from '../../src/core/ports/storage.ts';
import type { Store, StoreTransaction, StoreView } from '../../src/core/ports/store.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { FaultyStorage, type StorageCall, type StorageFault } from '../../src/storage/faulty.ts';
import type { MemoryStorage } from '../../src/storage/memory.ts';
import { storeErrors } from '../../src/store/error-codes.ts';
import { taskLanguage } from '../engine/task-language.ts';
import type { Choices } from './choices.ts';
import type { Mortal, Scheduler } from './scheduler.ts';

/** What all processes of a simulation share. */
export interface Machine {
  readonly store: Store;
  readonly storage: MemoryStorage;
  readonly world: ScriptedWorld;
  readonly scheduler: Scheduler;
  readonly choices: Choices;
  /** Whether the log says which part of the engine writes. */
  readonly verbose: boolean;
  /** Whether every manager is on a host of its own and sees only its own jobs. */
  readonly apart: boolean;
  /** How likely things go wrong; 0 in the end. */
  mischief: number;
  log(line: string): void;
}

export const leaseMs = 1200;
const pollMs = 400;
const gatedStorage = ['openAttempt', 'publish', 'place', 'discardAttempt', 'inspect', 'remove'] as const;

export class SimulatedProcess implements Mortal {
  alive = true;
  readonly name: string;
  readonly engine: Engine;
  readonly #machine: Machine;
  #backend: ScriptedBackend | undefined;

  constructor(machine: Machine, name: string) {
    this.name = name;
    this.#machine = machine;
    let attempts = 0;
    this.engine = createEngine({
      store: this.#store(),
      storage: this.#storage(),
      actionTypes: taskLanguage(machine.storage),
      clock: machine.scheduler.clock(this),
      owner: name,
      randomText: () => `${name}.${++attempts}`,
      programVersion: '0',
      leaseMs,
      pollMs,
      identity: { host: name, boot: 'b', pid: 1, started: '' },
      onProblem: (error, doing) => machine.log(`  ${name} could not ${doing}: ${String(error)}`),
    });
  }

  /** Begins to manage; a process that cannot even join dies. */
  manage(): void {
    this.engine
      .start((events) => this.#connect(events))
      .catch((error) => {
        this.#machine.log(`  ${this.name} could not start: ${String(error)}`);
        this.crash();
      });
  }

  /** Nothing that it waits for will ever come; what it has in the back-end's queue never starts; what runs goes on. */
  crash(): void {
    this.alive = false;
    this.#backend?.crash();
  }

  #chance(probability: number): boolean {
    const { choices, mischief } = this.#machine;
    return mischief > 0 && choices.chance(probability * mischief);
  }

  async #gate(label: string): Promise<void> {
    await this.#machine.scheduler.park(this, label);
  }

  #store(): Store {
    const { store, scheduler } = this.#machine;
    const reads = new Map<PropertyKey, unknown>();
    const view = new Proxy(store.view, {
      get: (real, name: keyof StoreView) => {
        const known = reads.get(name);
        if (known) return known;
        const read = async (...args: never[]): Promise<unknown> => {
          if (!this.alive) return new Promise(() => {});
          if (this.#chance(0.002)) throw storeErrors.STORE_UNAVAILABLE('simulation', 'read');
          return (real[name] as (...given: never[]) => Promise<unknown>)(...args);
        };
        reads.set(name, read);
        return read;
      },
    });
    return {
      ...store,
      view,
      write: (body) => this.#write(body),
      listen: (listener) =>
        store.listen((topic) => {
          // Notices may be late and may be lost: they only save waiting.
          if (this.alive && !this.#chance(0.1)) scheduler.post(this, `hears ${topic}`, () => listener(topic));
        }),
    };
  }

  async #write<T>(body: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    const { store, choices, mischief, log } = this.#machine;
    await this.#gate(`write${this.#machine.verbose ? origin() : ''}`);
    const outcome =
      mischief > 0 && choices.chance(0.04 * mischief)
        ? choices.pick(['refused', 'undone', 'in doubt', 'twice'] as const)
        : 'well';
    if (outcome !== 'well') log(`  the next write of ${this.name} is ${outcome}`);
    if (outcome === 'refused') throw storeErrors.STORE_UNAVAILABLE('simulation', 'refused');
    let result = await store.write(async (tx) => {
      const value = await body(tx);
      if (outcome === 'undone') throw storeErrors.STORE_UNAVAILABLE('simulation', 'undone');
      return value;
    });
    // A connection that breaks at the commit makes the driver run the body again, although it was committed.
    if (outcome === 'twice') result = await store.write(body);
    if (this.#chance(0.3)) await this.#gate('written');
    if (outcome === 'in doubt') throw storeErrors.STORE_UNAVAILABLE('simulation', 'in doubt');
    return result;
  }

  #storage(): DatasetStorage {
    const { storage, choices, log } = this.#machine;
    const decide = ({ operation, subject }: StorageCall): StorageFault => {
      if (operation === 'inspectMany' ? !this.#chance(0.002) : !this.#chance(0.01)) return undefined;
      const fault = choices.pick(['EIO', 'ENOSPC'] as const);
      log(`  ${this.name}: ${operation} ${subject} fails with ${fault}`);
      return fault;
    };
    const faulty: DatasetStorage = new FaultyStorage(storage, decide);
    for (const name of gatedStorage) {
      const real = faulty[name].bind(faulty) as (...args: unknown[]) => Promise<unknown>;
      const gated = async (...args: unknown[]): Promise<unknown> => {
        if (this.#chance(0.5)) await this.#gate(name);
        return real(...args);
      };
      Object.assign(faulty, { [name]: gated });
    }
    return faulty;
  }

  #connect(events: BackendEvents): Backend {
    const { world, scheduler } = this.#machine;
    const backend = new ScriptedBackend({
      world,
      capacity: { cores: 2, queueAhead: 1 },
      host: this.#machine.apart ? this.name : undefined,
      events: {
        started: (key, at) => scheduler.post(this, `hears start of ${key}`, () => events.started(key, at)),
        ended: (key, outcome) => {
          for (let times = this.#chance(0.1) ? 2 : 1; times > 0; times--)
            scheduler.post(this, `hears end of ${key}`, () => events.ended(key, outcome));
        },
      },
    });
    this.#backend = backend;
    return {
      name: backend.name,
      capacity: () => backend.capacity(),
      submit: async (job: BackendJob) => {
        await this.#gate(`submit ${job.key}`);
        const handle = await backend.submit(job);
        if (this.#chance(0.3)) await this.#gate(`submitted ${job.key}`);
        return handle;
      },
      recover: async (job) => {
        if (this.#chance(0.5)) await this.#gate(`recover ${job.key}`);
        return backend.recover(job);
      },
      cancel: async (key) => {
        if (this.#chance(0.5)) await this.#gate(`cancel ${key}`);
        return backend.cancel(key);
      },
      close: () => backend.close(),
    };
  }
}

/** The place in the engine from which this is called. */
function origin(): string {
  const frame = new Error().stack?.split('\n').find((line) => line.includes('/src/engine/'));
  return ` (${/engine\/([\w-]+\.ts:\d+)/.exec(frame ?? '')?.[1] ?? 'test'})`;
}
