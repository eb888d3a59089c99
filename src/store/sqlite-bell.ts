// Wakes other processes that share one SQLite file. Each process owns two small files in a folder beside the database and
// writes to one of them when it has committed something of interest; every process watches the folder (inotify and its kin: no
// polling, about a millisecond) and ignores its own files. The second file is for the journal, which changes all the time and wakes
// only those who follow it: it is written at most every few milliseconds.

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
  ring(topics: ReadonlySet<string>): void;
  listen(listener: (topic: '*' | 'journal') => void): void;
  close(): void;
}

const mark = Buffer.from('.');
const journalEnd = '.journal';
const journalEveryMs = 20;

/** Opens this process's bell in `folder`. Files of processes that are gone are swept. */
export function openBell(folder: string): Bell {
  mkdirSync(folder, { recursive: true });
  sweep(folder);
  const name = `${process.pid}-${randomUUID().slice(0, 8)}`;
  const file = join(folder, name);
  const descriptors = { all: openSync(file, 'w'), journal: openSync(file + journalEnd, 'w') };
  let watcher: FSWatcher | undefined;
  let journalDue: NodeJS.Timeout | undefined;
  const strike = (descriptor: number): void => {
    try {
      writeSync(descriptor, mark, 0, 1, 0);
    } catch {
      // What is told is committed already; on a full disk the others find it by polling.
    }
  };
  const strikeJournal = (): void => {
    journalDue = undefined;
    strike(descriptors.journal);
  };
  return {
    ring(topics) {
      if (topics.has('journal')) journalDue ??= setTimeout(strikeJournal, journalEveryMs).unref();
      if (topics.size > (topics.has('journal') ? 1 : 0)) strike(descriptors.all);
    },
    listen(listener) {
      watcher = watch(folder, { persistent: false }, (_kind, changed) => {
        if (changed?.startsWith(name)) return;
        listener(changed?.endsWith(journalEnd) ? 'journal' : '*');
      });
      // A watch that breaks (folder removed by hand) leaves the safety net of polling.
      watcher.on('error', () => watcher?.close());
    },
    close() {
      watcher?.close();
      if (journalDue) {
        clearTimeout(journalDue);
        strikeJournal();
      }
      for (const descriptor of Object.values(descriptors)) closeSync(descriptor);
      for (const path of [file, file + journalEnd]) rmSync(path, { force: true });
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
