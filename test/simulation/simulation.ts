// One simulation: a store, a storage and a world of jobs; managers and users that come, go and die; faults everywhere. After every step the
// invariants are checked. In the end nothing fails any more, or everybody dies and one fresh manager starts, and everything must come to a
// good end.
import { ScriptedWorld } from '../../src/backends/scripted.ts';
import type { BackendJob } from '../../src/core/ports/backend.ts';
import { collectGarbage } from '../../src/engine/collect-garbage.ts';
import { MemoryStorage } from '../../src/storage/memory.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore } from '../../src/store/store.ts';
import { performTask, taskOf, taskText } from '../engine/task-language.ts';
import { Choices } from './choices.ts';
import { checkEnd } from './good-end.ts';
import { Invariants, Violation } from './invariants.ts';
import { makeCatalogue } from './random-workflow.ts';
import { Scheduler } from './scheduler.ts';
import { leaseMs, type Machine, SimulatedProcess } from './simulated-process.ts';
import { Users } from './user.ts';

export interface Outcome {
  readonly failure: Error | undefined;
  readonly log: readonly string[];
  readonly tape: readonly number[];
  readonly steps: number;
  /** How often each move took place: what the simulation has tried. */
  readonly moves: ReadonlyMap<string, number>;
}

/** Runs the simulation of a seed, or plays a tape again. */
export async function simulate(source: number | readonly number[], verbose = false): Promise<Outcome> {
  const choices = new Choices(source);
  const log: string[] = [];
  const database = await openDatabase(':memory:');
  await migrate(database, 'simulation', 0);
  const simulation = new Simulation(database, choices, log, verbose);
  let failure: Error | undefined;
  try {
    await simulation.run();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  simulation.killAll();
  const moves = await countMoves(database);
  await database.close();
  return { failure, log, tape: choices.tape, steps: simulation.steps, moves };
}

async function countMoves(database: Database): Promise<Map<string, number>> {
  const rows = await database.reader.all<{ move: string; count: number }>(
    "select machine || ' ' || event || ' ' || from_state as move, count(*) as count from journal group by 1",
  );
  return new Map(rows.map(({ move, count }) => [move, count]));
}

/** Steps that are told only if they changed something. */
const dull = /write|hears|time passes/;
const mostSteps = 4000;
const atRest: ReadonlySet<string> = new Set(['STORED', 'LEAF', 'DELETED']);

class Simulation {
  steps = 0;
  readonly #machine: Machine;
  readonly #invariants: Invariants;
  readonly #users: Users;
  #managers: SimulatedProcess[] = [];
  #born = 0;
  #dice = 0;

  constructor(database: Database, choices: Choices, log: string[], verbose: boolean) {
    const scheduler = new Scheduler();
    this.#machine = {
      store: createStore(database, 'simulation'),
      storage: new MemoryStorage(),
      world: new ScriptedWorld(() => scheduler.now),
      scheduler,
      choices,
      verbose,
      apart: choices.chance(0.35),
      mischief: choices.pick([1, 0.3, 2]),
      log: (line) => log.push(line),
    };
    this.#machine.world.submitFault = () => {
      const { mischief } = this.#machine;
      if (mischief === 0 || !choices.chance(0.03 * mischief)) return undefined;
      return choices.pick(['before', 'after'] as const);
    };
    this.#invariants = new Invariants(database, this.#machine.storage, this.#machine.world);
    this.#users = new Users(this.#machine, makeCatalogue(choices), this.#invariants);
  }

  async run(): Promise<void> {
    const { choices } = this.#machine;
    const most = 1 + choices.below(4);
    this.#startManager();
    await this.#users.submitOne();
    for (let left = 100 + choices.below(150); left > 0; left--) await this.#step(() => this.#something(most));
    await this.#bringToAnEnd();
  }

  killAll(): void {
    for (const process of [...this.#managers, ...this.#users.processes]) process.crash();
    this.#managers = [];
  }

  async #step(happen: () => Promise<string>): Promise<void> {
    this.steps += 1;
    const { log, scheduler } = this.#machine;
    const what = await happen();
    if (this.#users.failure !== undefined) throw this.#users.failure;
    try {
      const changed = await this.#invariants.check();
      if (changed !== '' || !dull.test(what))
        log(`${this.steps} @${scheduler.now - 1_000_000} ${what} ${changed && `=> ${changed}`}`);
    } catch (error) {
      log(`${this.steps} @${scheduler.now - 1_000_000} ${what}`);
      throw error;
    }
  }

  /** One step of the wild part. */
  async #something(most: number): Promise<string> {
    const { choices, scheduler } = this.#machine;
    const { waiting } = scheduler;
    const running = this.#machine.world.keys('running');
    const next = scheduler.nextAt;
    const options: (readonly [number, () => Promise<string>])[] = [];
    if (waiting.length > 0) {
      const oldest = choices.chance(0.5) ? choices.below(waiting.length) : 0;
      options.push([60, () => scheduler.pick(oldest)]);
    }
    if (running.length > 0) options.push([12, async () => this.#endJob(choices.pick(running))]);
    // While somebody stands still time runs faster than work, so that leases end.
    const haste = waiting.length === 0 ? 30 : scheduler.someoneFrozen ? 15 : 3;
    if (next !== undefined) options.push([haste, () => this.#sleepUntil(next)]);
    options.push([4, async () => this.#users.act().then(() => 'a user acts')]);
    options.push([0.7, () => this.#sleepUntil(scheduler.now + leaseMs * (0.5 + choices.next()))]);
    if (this.#managers.length < most) options.push([3, async () => this.#startManager()]);
    if (this.#managers.length > 0) options.push([0.8, async () => this.#crash(choices.pick(this.#managers))]);
    if (this.#managers.length > 1) options.push([3, async () => this.#freeze(choices.pick(this.#managers))]);
    const happen = choices.weighted(options);
    const what = await happen();
    await scheduler.settle();
    return what;
  }

  async #sleepUntil(time: number): Promise<string> {
    await this.#machine.scheduler.advanceTo(Math.ceil(time));
    return 'time passes';
  }

  #startManager(): string {
    const manager = new SimulatedProcess(this.#machine, `m${++this.#born}`);
    this.#managers.push(manager);
    manager.manage();
    return `${manager.name} starts`;
  }

  #crash(manager: SimulatedProcess): string {
    manager.crash();
    this.#managers = this.#managers.filter((one) => one !== manager);
    return `${manager.name} dies`;
  }

  #freeze(manager: SimulatedProcess): string {
    const { scheduler, choices } = this.#machine;
    const pauseMs = Math.ceil(leaseMs * (1 + 3 * choices.next()));
    scheduler.freeze(manager, scheduler.now + pauseMs);
    return `${manager.name} stands still for ${pauseMs} ms`;
  }

  #endJob(key: string): string {
    const how = this.#machine.choices.weighted([
      [80, 'well'],
      [14, 'badly'],
      [4, 'lost'],
      [3, 'late'],
    ] as const);
    return this.#end(key, how);
  }

  #end(key: string, how: 'well' | 'badly' | 'lost' | 'late'): string {
    const { world } = this.#machine;
    const job = world.jobs.get(key)?.job as BackendJob;
    if (how === 'lost') world.finish(key, { kind: 'lost', reason: 'the machine burnt down' });
    else if (how === 'late') world.finish(key, { kind: 'timeout' });
    else world.finish(key, { kind: 'exited', exitCode: how === 'well' && this.#work(job) ? 0 : 1 });
    return `${key} (${taskOf(job).op}) ends ${how}`;
  }

  /** Does the work of a job; false when an input is missing, which only a hand may have removed (I2). */
  #work(job: BackendJob): boolean {
    const { storage } = this.#machine;
    const task = taskOf(job);
    const text = taskText(storage, task);
    if (text !== undefined) {
      performTask(storage, job, task.op.startsWith('dice') ? `${text}#${++this.#dice}` : text);
      return true;
    }
    const missing = task.inputs.filter(({ path }) => storage.read(`${path}/data`) === undefined);
    for (const { path } of missing) {
      const location = path.slice(path.lastIndexOf('/') + 1);
      if (!this.#invariants.removedByHand.has(location))
        throw new Violation('I2 the inputs of a running job stay', `${job.key} misses ${location}`);
    }
    return false;
  }

  /** Nothing goes wrong any more: either everybody dies and one manager starts, or those who are left finish the work. */
  async #bringToAnEnd(): Promise<void> {
    const { scheduler, world, store, choices, log } = this.#machine;
    const goOn = choices.chance(0.4) && this.#managers.some(({ alive }) => alive);
    this.#machine.mischief = 0;
    log(goOn ? 'everything is well from here on' : 'everybody dies, one manager starts');
    if (!goOn) {
      this.killAll();
      this.#startManager();
    }
    const limit = this.steps + mostSteps;
    for (let idle = 0; idle < 30; ) {
      // The last one may have died of a fault that had been on its way.
      if (!this.#managers.some(({ alive }) => alive)) this.#startManager();
      const running = world.keys('running');
      const next = scheduler.nextAt as number;
      if (scheduler.waiting.length > 0) await this.#step(() => scheduler.pick(0));
      else if (running.length > 0) await this.#step(async () => this.#end(running[0] as string, 'well'));
      else {
        const totals = await store.view.datasetTotals();
        const doomed = totals.filter(({ state }) => !atRest.has(state));
        const live = await store.view.liveRuns();
        idle = live.length === 0 && doomed.length === 0 ? idle + 1 : idle;
        await this.#step(() => this.#sleepUntil(next));
      }
      await scheduler.settle();
      if (this.steps > limit) throw new Violation('I7 every run ends', await standing(this.#machine));
    }
    const manager = this.#managers.find(({ alive }) => alive) as SimulatedProcess;
    const collecting = collectGarbage(manager.engine.context, { graceMs: 0 });
    await checkEnd(this.#machine, this.#invariants, await collecting);
  }
}

async function standing({ store }: Machine): Promise<string> {
  const runs = await store.view.listRuns({ states: ['RUNNING', 'CANCELLING'], limit: 100 });
  const lines = await Promise.all(
    runs.map(async ({ id, state }) => {
      const actions = await store.view.actionsOfRun(id);
      return `run ${id} ${state}: ${actions.map((one) => `${one.key} ${one.state}`).join(', ')}`;
    }),
  );
  return lines.join('; ');
}
