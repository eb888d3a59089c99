// Collects items that arrive while a batch is being written and writes them together next. This is what turns thousands of small
// completions into few transactions.

export interface Batcher<T, R> {
  add(item: T): Promise<R>;
  /** Resolves when nothing is waiting or being written. */
  drained(): Promise<void>;
}

interface Entry<T, R> {
  readonly item: T;
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions {
  readonly largest?: number;
  /** How long so many wait for more before they are written: worth it only while enough else is under way. Asked again for each that comes. */
  readonly lingerMs?: (waiting: number) => number;
}

/** `write` gets the items of a batch and returns their results in order. */
export function createBatcher<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  { largest = 500, lingerMs = () => 0 }: BatcherOptions = {},
): Batcher<T, R> {
  let waiting: Entry<T, R>[] = [];
  let writing: Promise<void> | undefined;
  let lingering: (() => void) | undefined;

  /** One turn of the event loop at least lets what arrives together be written together. */
  async function linger(): Promise<void> {
    const ms = lingerMs(waiting.length);
    if (ms > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      lingering = resolve;
      await promise;
      lingering = undefined;
      clearTimeout(timer);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      await linger();
      const batch = waiting.slice(0, largest);
      waiting = waiting.slice(largest);
      try {
        const results = await write(batch.map((entry) => entry.item));
        batch.forEach((entry, i) => {
          entry.resolve(results[i] as R);
        });
      } catch (error) {
        // One that cannot be written must not take its neighbours with it.
        if (batch.length === 1) batch[0]?.reject(error);
        else for (const entry of batch) await writeOne(entry);
      }
    }
    writing = undefined;
  }

  async function writeOne(entry: Entry<T, R>): Promise<void> {
    try {
      const [result] = await write([entry.item]);
      entry.resolve(result as R);
    } catch (error) {
      entry.reject(error);
    }
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      waiting.push({ item, resolve, reject });
      writing ??= writeAll();
      if (lingering && lingerMs(waiting.length) === 0) lingering();
      return promise;
    },
    async drained() {
      while (writing) await writing;
    },
  };
}
