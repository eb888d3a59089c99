// A store that an earlier version wrote is brought up to date with everything in it; one of a later version is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyStore } from '../../src/store/copy-store.ts';
import { migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/all.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore, openStore } from '../../src/store/store.ts';
import { datasetTable, runTable } from '../../src/store/tables.ts';
import { postgres, sqliteFile } from './kinds.ts';
import { datasetRow, runRow, signatureOf } from './rows.ts';

/** The last migration before signatures were indexed by their beginning. */
const before = 4;
/** The last migration before what was submitted got a table of its own. */
const beforeDocuments = 5;
/** Differ only behind what the indexes hold. */
const [here, alike] = ['a', 'b'].map((end) => signatureOf(1).slice(0, 63) + end) as [string, string];

for (const kind of [sqliteFile, postgres]) {
  test(`${kind.name}: datasets of an older store are found by signature`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    const database = await openDatabase(made.url);
    await migrate(database, made.url, 0, before);
    await database.transaction(
      async (session) => {
        const rows = [
          datasetRow(1, { signature: here, physical: here }),
          datasetRow(2, { signature: signatureOf(2), isCurrent: 0 }),
          datasetRow(3, { signature: signatureOf(2) }),
        ];
        await session.insert('dataset', datasetTable.insertable, rows.map(datasetTable.values));
      },
      { durable: true, repeatable: true },
    );
    assert.deepEqual(
      await migrate(database, made.url, 0),
      migrations.slice(before).map(({ number }) => number),
    );
    const store = createStore(database, made.url);
    t.after(() => store.close());
    const ids = (rows: readonly { readonly id: number }[]): number[] => rows.map((row) => row.id);
    assert.deepEqual(ids(await store.view.datasetFacts([here, signatureOf(2)], ['here'])), [1, 3]);
    assert.deepEqual(ids(await store.view.datasetFacts([alike], ['here'])), []);
    assert.deepEqual(ids(await store.view.datasetsByPhysical([here, alike], ['here'])), [1]);
    assert.deepEqual(ids(await store.view.datasetsByPrefix(here, 5)), [1]);
    assert.deepEqual(ids(await store.view.datasetsByPrefix(alike, 5)), []);
    assert.deepEqual(ids(await store.view.datasetsByPrefix(here.slice(0, 30), 5)), [1]);
    assert.deepEqual(ids(await store.view.datasetsByPrefix(here.slice(0, 6), 5)), [1]);
    await assert.rejects(store.write((tx) => tx.insertDatasets([datasetRow(4, { signature: here })])));
  });

  test(`${kind.name}: what was submitted to an older store is still known, there and in a copy`, async (t) => {
    const [older, copy, present] = [await kind.newUrl!(t), await kind.newUrl!(t), await kind.newUrl!(t)];
    if ('skip' in older || 'skip' in copy || 'skip' in present) return t.skip('no database');
    const database = await openDatabase(older.url);
    await migrate(database, older.url, 0, beforeDocuments);
    const known = { ...runRow(1), source: '{"name":"old"}', parameters: '{}' };
    const columns = { ...runTable.insertable, source: 'text', parameters: 'text' } as const;
    const values = [...runTable.values(known), known.source, known.parameters];
    await database.transaction((session) => session.insert('run', columns, [values]), { durable: true });
    await database.close();

    await (await openStore(present.url)).close();
    await assert.rejects(copyStore(older.url, present.url), { code: 'STORE_OLDER' });
    await copyStore(older.url, copy.url);
    for (const { url } of [older, copy]) {
      const store = await openStore(url);
      t.after(() => store.close());
      assert.deepEqual(await store.view.runDocument(1), { source: known.source, parameters: '{}' });
      assert.deepEqual(
        (await store.view.runs([1])).map(({ name }) => name),
        [known.name],
      );
      assert.deepEqual(await store.view.runDocument(2), undefined);
    }
  });

  test(`${kind.name}: a store of a newer program is refused, and left as it is`, async (t) => {
    const made = await kind.newUrl!(t);
    if ('skip' in made) return t.skip(made.skip);
    await (await openStore(made.url)).close();
    const database = await openDatabase(made.url);
    t.after(() => database.close());
    await database.reader.all(
      "insert into schema_migration (number, name, breaking, applied_at) values (500, 'x', 0, 0)",
    );
    await assert.rejects(openStore(made.url), {
      code: 'STORE_NEWER',
      kind: 'unsupported',
      message: /schema 500/,
    });
    const levels = await database.reader.all<{ number: number }>(
      'select number from schema_migration order by number',
    );
    assert.deepEqual(
      levels.map(({ number }) => number),
      [...migrations.map(({ number }) => number), 500],
    );
  });
}
