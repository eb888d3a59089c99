// Wakes other processes that share one SQLite file. Each process owns one small file in a folder beside the database and
// writes to it when it has committed something of interest; every process watches the folder (inotify and its kin: no
// polling, about a millisecond) and ignores its own file.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  type FSWatcher,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  watch,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Bell {
  ring(): void;
  listen(listener: () => void): void;
  close(): void;
}

const mark = Buffer.from('.');

/** Opens this process's bell in `folder`. Files of processes that are gone are swept. */
export function openBell(folder: string): Bell {
  mkdirSync(folder, { recursive: true });
  sweep(folder);
  const name = `${process.pid}-${randomUUID().slice(0, 8)}`;
  const file = join(folder, name);
  const descriptor = openSync(file, 'w');
  let watcher: FSWatcher | undefined;
  return {
    ring() {
      try {
        writeSync(descriptor, mark, 0, 1, 0);
      } catch {
        // What is told is committed already; on a full disk the others find it by polling.
      }
    },
    listen(listener) {
      watcher = watch(folder, { persistent: false }, (_kind, changed) => {
        if (changed !== name) listener();
      });
      // A watch that breaks (folder removed by hand) leaves the safety net of polling.
      watcher.on('error', () => watcher?.close());
    },
    close() {
      watcher?.close();
      closeSync(descriptor);
      rmSync(file, { force: true });
    },
  };
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number.parseInt(name, 10);
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid))
      rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
