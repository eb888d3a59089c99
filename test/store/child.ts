// A process of its own that works on a store: `node child.ts <task> <url> [arguments]`. It says `opened` when it has opened the
// store, begins when it is sent a line, and prints one line of JSON for each thing it did.
import { writeSync } from 'node:fs';
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

async function go(): Promise<void> {
  say('opened');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.pause();
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
    const ended = Promise.withResolvers<void>();
    store.listen((topic) => {
      say(topic);
      if (topic === 'cancel') ended.resolve();
    });
    // Nothing but the notices and the line that ends it wakes this process.
    await go();
    process.stdin.resume();
    process.stdin.once('data', () => ended.resolve());
    await ended.promise;
    await store.close();
    process.stdin.destroy();
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
