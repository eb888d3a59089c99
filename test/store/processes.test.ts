// Several processes on one store. Uses ../postgres.ts by way of kinds.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../src/store/migrations/all.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { openStore } from '../../src/store/store.ts';
import { startChild } from './children.ts';
import { isComplete, prepareOne } from './complete-one.ts';
import { empty, postgres, sqliteFile } from './kinds.ts';
import { actionRow, runRow } from './rows.ts';

const processes = 8;
const rows = 10_000;

for (const kind of [sqliteFile, postgres]) {
  test(`${kind.name}: ${processes} processes claim ${rows} rows, each row exactly once`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    const store = await openStore(made.url);
    t.after(() => store.close());
    await store.write(async (tx) => {
      await tx.insertRun(runRow(1));
      await tx.insertActions(Array.from({ length: rows }, (_, i) => actionRow(i + 1)));
    });
    const children = Array.from({ length: processes }, (_, i) => startChild(t, 'claim', made.url, `p${i}`));
    await Promise.all(children.map((child) => child.ready));
    for (const child of children) child.go();
    await Promise.all(children.map((child) => child.ended));
    const owner = new Map<number, string>();
    for (const [i, child] of children.entries()) {
      for (const id of (child.said as number[][]).flat()) {
        assert.ok(!owner.has(id), `row ${id} was claimed twice`);
        owner.set(id, `p${i}`);
      }
    }
    assert.equal(owner.size, rows);
    const taken = await store.view.actionsOfRun(1);
    assert.ok(
      taken.every((row) => row.owner === owner.get(row.id) && row.fence === 1 && row.state === 'PROCESSING'),
    );
    const journal = await store.view.journal({ limit: 2 * rows });
    assert.equal(new Set(journal.map((entry) => entry.entityId)).size, rows);
    assert.equal(journal.length, rows);
  });

  test(`${kind.name}: ${processes} processes that start together migrate once`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    const children = Array.from({ length: processes }, () => startChild(t, 'migrate', made.url));
    await Promise.all(children.map((child) => child.ready));
    for (const child of children) child.go();
    await Promise.all(children.map((child) => child.ended));
    const applied = children.flatMap((child) => child.said as number[][]).filter((list) => list.length > 0);
    assert.deepEqual(applied, [migrations.map((migration) => migration.number)]);
    const store = await openStore(made.url);
    await store.close();
  });

  test(`${kind.name}: a process hears what another one says, and only then does something`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    const store = await openStore(made.url);
    t.after(() => store.close());
    const child = startChild(t, 'listen', made.url);
    await child.ready;
    child.go();
    // PostgreSQL: the child's own connection says once that it listens now.
    if (kind === postgres && child.said.length === 0) await child.next();
    for (const expected of ['ready', 'run', 'doomed'] as const) {
      const ring = (): Promise<void> => store.write(async (tx) => tx.notify(expected), { durable: false });
      // A notice that gets lost costs whoever waits one poll interval; here it is rung again.
      const again = setInterval(() => void ring(), 5_000).unref();
      t.after(() => clearInterval(again));
      const heard = child.next();
      await ring();
      for (let word = await heard; word !== '*' && word !== expected; ) word = await child.next();
      clearInterval(again);
    }
    const heard: string[] = [];
    store.listen((topic) => heard.push(topic));
    await store.write(async (tx) => tx.notify('run'));
    assert.ok(heard.includes('run'), 'the own process hears at once');
  });

  test(`${kind.name}: a death between any two statements leaves all or nothing, and never loses what was reported`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    for (let point = 0; ; point++) {
      const first = await openStore(made.url);
      const database = await openDatabase(made.url);
      await empty(database);
      await database.close();
      await prepareOne(first);
      await first.close();
      const child = startChild(t, 'crash', made.url, String(point));
      await child.ready;
      child.go();
      assert.deepEqual(await child.ended, { signal: 'SIGKILL' });
      const store = await openStore(made.url);
      const complete = await isComplete(store);
      await store.close();
      const reported = child.said.includes('reported');
      if (reported) assert.ok(complete, 'what was reported is there');
      if (reported) {
        assert.ok(point > 12, `only ${point} points were tried`);
        return;
      }
    }
  });

  test(`${kind.name}: what was reported survives kill -9 at any moment`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    for (let round = 0; round < 4; round++) {
      const child = startChild(t, 'write', made.url);
      await child.ready;
      child.go();
      while (child.said.length < 20 + 17 * round) await child.next();
      child.process.kill('SIGKILL');
      await child.ended;
      const store = await openStore(made.url);
      for (const part of [1, 2, 3]) {
        const reported = (child.said as [number, number][]).filter(([one]) => one === part).at(-1)?.[1] ?? 0;
        const stored = Number(await store.view.setting(String(part)));
        assert.ok(stored === reported || stored === reported + 1, `${stored} after ${reported} was reported`);
      }
      await store.close();
    }
  });
}
