// Backing up, checking, restoring and moving a store, as an operator does it.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testDatabase } from '../postgres.ts';
import { Home, shell } from './home.ts';

function workedHome(home: Home): string {
  const path = home.write('flow.json', {
    name: 'some work',
    actions: [
      shell('a', 'echo a > "$VARVE_OUTPUT/f"'),
      shell('b', 'cat "$VARVE_INPUT_A/f" > "$VARVE_OUTPUT/f"', { parentActions: ['a'] }),
    ],
  });
  assert.equal(home.run('run', path).status, 0);
  return path;
}

test('a backup restored into an empty home knows everything again', (t) => {
  const home = new Home(t);
  const path = workedHome(home);
  assert.equal(home.run('store', 'backup', 'copy.db').status, 0);
  assert.match(home.run('store', 'backup', 'copy.db').stderr, /\[STORE_TARGET_EXISTS\]/);
  assert.match(home.run('store', 'restore', 'copy.db').stderr, /\[STORE_NOT_EMPTY\]/);
  renameSync(home.path('home/varve.db'), home.path('damaged.db'));
  const restored = home.run('store', 'restore', 'copy.db');
  assert.equal(restored.status, 0, restored.stderr);
  assert.match(home.run('run', path).stdout, /everything was reused/);
  assert.match(home.run('store', 'check').stdout, /the store is sound/);
});

test('a store moved to PostgreSQL goes on where it was, and back', async (t) => {
  const database = await testDatabase(t);
  if ('skip' in database) return t.skip(database.skip);
  const home = new Home(t);
  const path = workedHome(home);
  const moved = home.run('store', 'migrate', '--to', database.url);
  assert.equal(moved.status, 0, moved.stderr);
  const there = ['--set', `store.url=${database.url}`];
  assert.match(home.run('run', path, ...there).stdout, /run 2 .*everything was reused/);
  assert.match(home.run('store', 'check', ...there).stdout, /the store is sound/);
  const again = home.run('store', 'backup', 'from-server.db', ...there);
  assert.equal(again.status, 0, again.stderr);
  const copy = new DatabaseSync(home.path('from-server.db'), { readOnly: true });
  assert.deepEqual({ ...copy.prepare('select count(*) as runs from run').get() }, { runs: 2 });
  copy.close();
});

test('check finds what is broken', (t) => {
  const home = new Home(t);
  workedHome(home);
  const store = new DatabaseSync(home.path('home/varve.db'));
  store.exec("update edge set dataset_id = 999 where holder = 'run'");
  store.close();
  const found = home.run('store', 'check');
  assert.equal(found.status, 9);
  assert.match(found.stdout, /an edge points to a dataset that does not exist/);
});
