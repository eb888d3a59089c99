// A cancel that meets a manager which is just taking an action: the action is asked to stop, and its attempt ends like any other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { submitAttempts } from '../../src/engine/submit-attempts.ts';
import { openStore } from '../../src/store/store.ts';
import { testDatabase } from '../postgres.ts';
import { Story } from './story.ts';
import { task } from './task-language.ts';

test('an action that is handed over while its run is cancelled is stopped, not forgotten', async (t) => {
  const made = await testDatabase({ after: (action) => t.after(action) });
  if ('skip' in made) return t.skip(made.skip);
  const story = new Story(await openStore(made.url), {});
  const other = await openStore(made.url);
  try {
    const { runId } = await story.submit([task('a', { result: true })]);
    const now = Date.now();
    const by = { actor: 'other', at: now };
    const cancelled = Promise.withResolvers<void>();
    await other.write(async (tx) => {
      const actions = await tx.takeActions({ owner: 'other', now, until: now + 60_000, limit: 1 });
      cancelled.resolve(story.cancel(runId));
      // Time for the cancel to see the action as it was, and to wait for it.
      await sleep(100);
      await submitAttempts(
        tx,
        actions.map((action) => ({ action, key: 'k', handle: null, backend: 'b' })),
        by,
      );
    });
    await cancelled.promise;
    const action = await story.action(runId, 'a');
    assert.deepEqual([action.state, action.cancelRequested], ['SUBMITTED', 1]);
    assert.equal((await story.run(runId)).state, 'CANCELLING');
  } finally {
    await other.close();
    await story.close();
  }
});
