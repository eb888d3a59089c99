// Records the events of a back-end and lets a test wait for them.
import assert from 'node:assert/strict';
import type { BackendEvents, JobOutcome } from '../../src/core/ports/backend.ts';

export class EventLog implements BackendEvents {
  readonly startedAt = new Map<string, number>();
  readonly outcomes = new Map<string, JobOutcome>();
  readonly #waiting = new Map<string, (outcome: JobOutcome) => void>();
  /** Called after each event, for tests that feed further jobs. */
  onEnded: ((key: string, outcome: JobOutcome) => void) | undefined;

  started(key: string, at: number): void {
    assert.ok(!this.startedAt.has(key), `${key} was reported started twice`);
    this.startedAt.set(key, at);
  }

  ended(key: string, outcome: JobOutcome): void {
    assert.ok(!this.outcomes.has(key), `${key} was reported ended twice`);
    this.outcomes.set(key, outcome);
    this.#waiting.get(key)?.(outcome);
    this.onEnded?.(key, outcome);
  }

  /** The outcome of a job, now or when it comes. */
  async end(key: string): Promise<JobOutcome> {
    const outcome = this.outcomes.get(key);
    if (outcome !== undefined) return outcome;
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    this.#waiting.set(key, resolve);
    return promise;
  }

  async exit(key: string): Promise<Extract<JobOutcome, { kind: 'exited' }>> {
    const outcome = await this.end(key);
    assert.equal(outcome.kind, 'exited', JSON.stringify(outcome));
    return outcome as Extract<JobOutcome, { kind: 'exited' }>;
  }
}

/** Waits until a condition holds; fails after a while, naming what was awaited. */
export async function until(what: string, holds: () => boolean, ms = 15_000): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    assert.ok(performance.now() < end, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
