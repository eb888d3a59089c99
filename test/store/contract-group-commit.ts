// Group commit: what arrives together shares a transaction, and nobody notices except by the speed.
import assert from 'node:assert/strict';
import { runRow } from './rows.ts';
import type { Section } from './section.ts';

export const groupCommit: Section = {
  async 'a body that throws hurts only itself'({ store }) {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        store.write(async (tx) => {
          await tx.putSetting(`k${i}`, 'v');
          tx.notify('run');
          if (i % 5 === 2) throw new Error(`body ${i}`);
          return i;
        }),
      ),
    );
    for (const [i, result] of results.entries()) {
      if (i % 5 === 2) {
        assert.equal((result as PromiseRejectedResult).reason.message, `body ${i}`);
        assert.equal(await store.view.setting(`k${i}`), undefined);
      } else {
        assert.deepEqual(result, { status: 'fulfilled', value: i });
        assert.equal(await store.view.setting(`k${i}`), 'v');
      }
    }
  },
  async 'a statement that the database refuses hurts only its body'({ store }) {
    await store.write((tx) => tx.insertRun(runRow(1)));
    const insert = (id: number, submissionKey: string) =>
      store.write(async (tx) => {
        await tx.insertRun(runRow(id, { submissionKey }));
        await tx.note('run', id, id, 'noted', {}, { actor: 'a', at: 1 });
        return id;
      });
    const results = await Promise.allSettled([
      insert(2, 'b'),
      insert(3, 'submission-1'),
      insert(4, 'b'),
      insert(5, 'c'),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
      [2, 'STORE_CONFLICT', 'STORE_CONFLICT', 5],
    );
    assert.deepEqual(
      (await store.view.listRuns({ limit: 9 })).map((run) => run.id),
      [5, 2, 1],
    );
    const noted = await store.view.journal({ limit: 9 });
    assert.deepEqual(
      noted.map((entry) => entry.entityId),
      [2, 5],
    );
  },
  async 'bodies of one process run one after the other and see those before them'({ store }) {
    const seen = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        store.write(async (tx) => {
          const before = await tx.setting('list');
          await tx.putSetting('list', `${before ?? ''}${i}`);
          return before ?? '';
        }),
      ),
    );
    assert.deepEqual(seen, [
      '',
      '0',
      '01',
      '012',
      '0123',
      '01234',
      '012345',
      '0123456',
      '01234567',
      '012345678',
    ]);
    assert.equal(await store.view.setting('list'), '0123456789');
  },
  async 'what a write reported is seen by every look that follows'({ store }) {
    for (let i = 0; i < 20; i++) {
      await store.write((tx) => tx.putSetting('k', String(i)), { durable: i % 2 === 0 });
      assert.equal(await store.view.setting('k'), String(i));
    }
    await store.settled();
  },
  async 'a look never sees what is not committed'({ store }) {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const write = store.write(async (tx) => {
      await tx.putSetting('k', 'new');
      begun.resolve();
      await goOn.promise;
      throw new Error('undone');
    });
    await begun.promise;
    const look = store.view.setting('k');
    goOn.resolve();
    await assert.rejects(write, /undone/);
    assert.equal(await look, undefined);
  },
  async 'the journal and the topics of a failed body are gone with it'({ store }) {
    const heard: string[] = [];
    store.listen((topic) => heard.push(topic));
    const body = (id: number, fail: boolean) =>
      store.write(async (tx) => {
        await tx.note('run', id, id, 'noted', {}, { actor: 'a', at: 1 });
        tx.notify(fail ? 'cancel' : 'run');
        assert.ok((await tx.journal({ limit: 99 })).every((entry) => entry.entityId !== 2 || id === 2));
        if (fail) throw new Error('no');
      });
    await Promise.allSettled([body(1, false), body(2, true), body(3, false)]);
    const journal = await store.view.journal({ limit: 99 });
    assert.deepEqual(
      journal.map((entry) => entry.entityId),
      [1, 3],
    );
    assert.ok(heard.includes('run'));
    assert.ok(!heard.includes('cancel'));
  },
  async 'numbers are reserved in blocks that never overlap'({ store }) {
    const firsts = await Promise.all(
      Array.from({ length: 40 }, (_, i) => store.write((tx) => tx.nextIds('action', i + 1))),
    );
    const all = firsts.flatMap((first, i) => Array.from({ length: i + 1 }, (_, k) => first + k));
    assert.equal(new Set(all).size, all.length);
    assert.equal(Math.min(...all), 1);
  },
  async 'closing waits for what was handed in'({ store }) {
    const writes = Array.from({ length: 30 }, (_, i) => store.write((tx) => tx.putSetting(`k${i}`, 'v')));
    await store.close();
    assert.equal((await Promise.allSettled(writes)).filter((one) => one.status === 'fulfilled').length, 30);
  },
  async 'a write to a closed store is refused'({ store }) {
    await store.close();
    await assert.rejects(store.write((tx) => tx.putSetting('k', 'v')));
  },
};
