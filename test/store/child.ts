// A process of its own that works on a store: `node child.ts <task> <url> [arguments]`. It says `opened` when it has opened the
// store, begins when it is sent a line, and prints one line of JSON for each thing it did.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { migrate } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore, openStore } from '../../src/store/store.ts';
import { completeOne } from './complete-one.ts';
import { crashingAt } from './crashing-database.ts';
import { epoch } from './rows.ts';

const [task = '', url = '', argument = ''] = process.argv.slice(2);

function say(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

/** Lines that were sent, none of them lost, however they arrive; waiting for one keeps the process alive, nothing else does. */
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
process.stdin.unref();

async function nextLine(): Promise<void> {
  process.stdin.ref();
  await lines.next();
  process.stdin.unref();
}

async function go(): Promise<void> {
  say('opened');
  await nextLine();
}

const tasks: Record<string, () => Promise<void>> = {
  async migrate() {
    const database = await openDatabase(url);
    await go();
    say(await migrate(database, url, epoch));
    await database.close();
  },
  async claim() {
    const store = await openStore(url);
    await go();
    for (;;) {
      const lease = { owner: argument, until: epoch + 60_000, now: epoch, limit: 20 };
      const rows = await store.write((tx) => tx.takeActions(lease));
      if (rows.length === 0) break;
      say(rows.map((row) => row.id));
    }
    await store.close();
  },
  async listen() {
    const store = await openStore(url);
    store.listen(say);
    // Nothing but notices wakes this process, until its input ends.
    await go();
    await nextLine();
    await store.close();
  },
  async write() {
    const store = await openStore(url);
    await go();
    for (let i = 1; ; i++) {
      await Promise.all(
        [1, 2, 3].map(async (part) => {
          await store.write((tx) => tx.putSetting(`${part}`, String(i)), { durable: part !== 3 });
          say([part, i]);
        }),
      );
    }
  },
  async crash() {
    const database = crashingAt(await openDatabase(url), Number(argument));
    const store = createStore(database, url);
    await go();
    await completeOne(store);
    say('reported');
    process.kill(process.pid, 'SIGKILL');
  },
};

await tasks[task]?.();
