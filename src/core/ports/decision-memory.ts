// Where a process keeps what it has made of the history, so that the next one need not read all of it again. Only a cache: it may be lost
// or refused at any time, and is then made anew from what is recorded.

export interface DecisionMemory {
  /** What was kept last, whole; undefined when there is nothing, or it is damaged. */
  load(): Promise<Uint8Array | undefined>;
  /** Puts these parts, one after the other, in the place of what was kept before; all or nothing. */
  save(parts: readonly Uint8Array[]): Promise<void>;
}
