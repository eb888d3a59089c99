// Processes that decide and delete are killed at random moments: what was half done harms nothing, and the history runs to its end
// with the bytes that it has without kills.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/store/store.ts';

const kills = 4;

test('kills in the middle of decisions harm nothing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'varve-killed-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const start = (where: string): ChildProcess =>
    spawn(process.execPath, [join(import.meta.dirname, 'lab-process.ts'), join(folder, where)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  for (let n = 0; n < kills; n += 1) {
    const child = start('killed');
    const exit = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), 900 + n * 250);
    await exit;
    clearTimeout(timer);
  }
  const [killed] = await once(start('killed'), 'exit');
  assert.equal(killed, 0);
  // A removal that a kill cut short belongs to the dead process until its lease ends; the next process takes it over then.
  const taken = await leaseEnd(join(folder, 'killed'));
  if (taken !== undefined) {
    await sleep(Math.max(0, taken - Date.now()));
    const [again] = await once(start('killed'), 'exit');
    assert.equal(again, 0);
  }
  const [whole] = await once(start('whole'), 'exit');
  assert.equal(whole, 0);
  assert.deepEqual(await digests(join(folder, 'killed')), await digests(join(folder, 'whole')));
});

/** When the last lease on a dataset that is being removed ends; undefined when none is. */
async function leaseEnd(folder: string): Promise<number | undefined> {
  const store = await openStore(join(folder, 'store.db'));
  try {
    const rows = await store.view.listDatasets({ limit: 100_000 });
    const ends = rows.filter((row) => /^(PROCESSING|DELETING)$/.test(row.state)).map((row) => row.leaseUntil);
    return ends.length === 0 ? undefined : Math.max(...ends);
  } finally {
    await store.close();
  }
}

/** Digests of all results, and a look at what kills could have left behind. */
async function digests(folder: string): Promise<[string, string | null][]> {
  const store = await openStore(join(folder, 'store.db'));
  try {
    assert.deepEqual(await store.view.liveRuns(), []);
    const rows = await store.view.listDatasets({ limit: 100_000 });
    for (const row of rows) assert.match(row.state, /^(LEAF|STORED|DELETED)$/, `${row.name} is ${row.state}`);
    return rows
      .filter((row) => row.state === 'LEAF')
      .map((row): [string, string | null] => [row.name, row.digest])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  } finally {
    await store.close();
  }
}
