// Lets synchronous file work be fast for small trees and still never hold the event loop for long: after each few
// milliseconds the worker gives way once.
import { setImmediate } from 'node:timers/promises';

export class TimeSlice {
  readonly #lengthMs: number;
  #endsAt: number;

  constructor(lengthMs = 4) {
    this.#lengthMs = lengthMs;
    this.#endsAt = performance.now() + lengthMs;
  }

  /** True when the caller should `await pause()` before it goes on. */
  get over(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.#endsAt = performance.now() + this.#lengthMs;
  }
}
