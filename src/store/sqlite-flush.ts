// Forces committed transactions of SQLite to disk without standing in the way. SQLite's own flush at commit would stop the event
// loop for the time of an fsync and hold the write lock meanwhile. Instead it commits without one, and the log file is
// flushed by a thread while the next transaction is already under way; nothing is reported before its flush has ended.
// One flush serves everything that was committed before it began.
import { close, fdatasync, fsync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

export interface LogFlush {
  /** Resolves when everything committed before the call is on disk. */
  flush(): Promise<void>;
  /** Resolves when every flush that was asked for has ended. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const [closeFile, syncData, syncAll] = [promisify(close), promisify(fdatasync), promisify(fsync)];

/** `path` is the log of a database in WAL mode on which this process keeps a connection open, so that the file stays. */
export function openLogFlush(path: string): LogFlush {
  let file: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function sync(): Promise<void> {
    if (file === undefined) {
      file = openSync(path, 'r+');
      await syncFolder(path);
    }
    await syncData(file);
  }

  function start(): Promise<void> {
    const one = sync().finally(() => {
      if (running === one) running = undefined;
    });
    running = one;
    return one;
  }

  function flush(): Promise<void> {
    if (!running) return start();
    // What was committed after the running flush began needs another one, which all who come meanwhile share.
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  }

  return {
    flush,
    settled: () => next ?? running ?? Promise.resolve(),
    async close() {
      await (next ?? running)?.catch(() => {});
      if (file !== undefined) await closeFile(file);
      file = undefined;
    },
  };
}

/** The log may be new: its name has to survive as well. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    await syncAll(folder);
  } finally {
    await closeFile(folder);
  }
}
