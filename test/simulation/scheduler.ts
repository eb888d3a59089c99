// Owns time and order. Whatever a simulated process wants from outside waits here until the simulation picks it; between two picks everything
// runs until nothing moves any more. So a run of the simulation is one sequence of picks and repeats exactly.
import type { Clock } from '../../src/core/ports/clock.ts';

/** Somebody who can die: what it waits for then never comes. */
export interface Mortal {
  readonly name: string;
  readonly alive: boolean;
}

interface Parked {
  readonly owner: Mortal;
  readonly label: string;
  readonly go: () => void;
}

interface Sleeper {
  readonly owner: Mortal;
  readonly at: number;
  readonly wake: () => void;
}

export class Scheduler {
  now = 1_000_000;
  #parked: Parked[] = [];
  #sleepers: Sleeper[] = [];
  readonly #frozen = new Map<Mortal, number>();
  #moves = 0;

  /** Resolves when the simulation picks it. */
  park(owner: Mortal, label: string): Promise<void> {
    return new Promise((resolve) => this.post(owner, label, resolve));
  }

  /** Something that will happen to the owner when the simulation picks it. */
  post(owner: Mortal, label: string, go: () => void): void {
    this.#moves += 1;
    if (owner.alive) this.#parked.push({ owner, label, go });
  }

  clock(owner: Mortal): Clock {
    return {
      now: () => this.now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          this.#moves += 1;
          if (signal?.aborted) return resolve();
          const sleeper = { owner, at: this.now + ms, wake: resolve };
          this.#sleepers.push(sleeper);
          signal?.addEventListener('abort', () => {
            this.#moves += 1;
            this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
            resolve();
          });
        }),
    };
  }

  /** The owner gets no time until then, like a process that is swapped out: what it waits for comes late, its leases end meanwhile. */
  freeze(owner: Mortal, until: number): void {
    this.#frozen.set(owner, until);
  }

  get someoneFrozen(): boolean {
    return [...this.#frozen.keys()].some((owner) => owner.alive && this.#isFrozen(owner));
  }

  /** What could happen next, oldest first. */
  get waiting(): readonly string[] {
    return this.#able().map(({ owner, label }) => `${owner.name}: ${label}`);
  }

  /** Lets the thing with this index happen, and everything that follows at once. */
  async pick(index: number): Promise<string> {
    const parked = this.#able()[index];
    this.#parked = this.#parked.filter((one) => one !== parked);
    parked?.go();
    await this.settle();
    return `${parked?.owner.name}: ${parked?.label}`;
  }

  /** When the next sleeper is due or the next frozen one can go on; undefined when there is none. */
  get nextAt(): number | undefined {
    this.#bury();
    const times = this.#sleepers.map(({ at, owner }) => Math.max(at, this.#frozen.get(owner) ?? 0));
    for (const { owner } of this.#parked)
      if (this.#isFrozen(owner)) times.push(this.#frozen.get(owner) as number);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Time passes; everybody who is due wakes, in order. */
  async advanceTo(time: number): Promise<void> {
    this.#bury();
    this.now = Math.max(this.now, time);
    const isDue = ({ at, owner }: Sleeper): boolean => at <= this.now && !this.#isFrozen(owner);
    const due = this.#sleepers.filter(isDue).sort((a, b) => a.at - b.at);
    this.#sleepers = this.#sleepers.filter((sleeper) => !isDue(sleeper));
    for (const { wake } of due) wake();
    await this.settle();
  }

  /** Waits until nothing moves any more without being picked. */
  async settle(): Promise<void> {
    for (let quiet = 0, seen = this.#moves; quiet < 2; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (seen !== this.#moves) {
        seen = this.#moves;
        quiet = -1;
      }
    }
  }

  #able(): Parked[] {
    this.#bury();
    return this.#parked.filter(({ owner }) => !this.#isFrozen(owner));
  }

  #isFrozen(owner: Mortal): boolean {
    return (this.#frozen.get(owner) ?? 0) > this.now;
  }

  #bury(): void {
    if (this.#parked.some(({ owner }) => !owner.alive))
      this.#parked = this.#parked.filter(({ owner }) => owner.alive);
    if (this.#sleepers.some(({ owner }) => !owner.alive))
      this.#sleepers = this.#sleepers.filter(({ owner }) => owner.alive);
  }
}
