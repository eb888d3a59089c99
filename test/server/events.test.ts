// Server-sent events: from the journal, resumable, woken by the store, cheap for many.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VarveClient } from '../../src/api/client/client.ts';
import type { ServerEvent } from '../../src/api/client/events.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createEventHub } from '../../src/server/events/event-hub.ts';
import { openStore } from '../../src/store/store.ts';
import { postgresAbsent, testDatabase } from '../postgres.ts';
import { eventually, shell, startTestServer } from './test-server.ts';

async function collect(events: AsyncIterable<ServerEvent>, until: (event: ServerEvent) => boolean) {
  const seen: ServerEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (until(event)) return seen;
  }
  return seen;
}

const ended = (event: ServerEvent): boolean => event.kind === 'run' && event.to === 'SUCCEEDED';

test('a follower sees a run from submission to end, and resumes where it stopped', async (t) => {
  const server = await startTestServer(t);
  const client = new VarveClient({ url: server.url });
  const following = collect(client.events(), ended);
  await eventually(
    async () =>
      server.log.length >= 0 && (await server.get('/metrics')).text.includes('varve_event_followers 1'),
  );
  const run = await server.run([shell('a', 'echo a'), shell('b', 'echo b', { parentActions: ['a'] })]);
  const live = await following;
  assert.equal(live[0]?.kind, 'hello');
  const moves = live.filter((event) => event.kind === 'action').map((event) => event.to);
  assert.equal(moves.filter((state) => state === 'FINISHED').length, 2);
  const ids = live.slice(1).map((event) => event.id);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );

  const middle = ids[Math.floor(ids.length / 2)] as number;
  const resumed = await collect(client.events({ after: middle }), ended);
  assert.deepEqual(
    resumed.slice(1).map((event) => event.id),
    ids.filter((id) => id > middle),
  );

  const other = await server.run([shell('c', 'echo c')]);
  const ofRun = await collect(client.events({ run, after: 0 }), ended);
  assert.ok(ofRun.slice(1).every((event) => event.run === run));
  assert.notEqual(other, run);
});

test('a change reaches a follower without waiting for a poll', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const client = new VarveClient({ url: server.url });
  const submit = (key: string) =>
    server.post('runs', { workflow: { name: key, actions: [shell(key, `echo ${key}`)] } });
  const waits: number[] = [];
  let began = 0;
  let count = 0;
  for await (const event of client.events()) {
    if (event.kind === 'run') waits.push(performance.now() - began);
    if (event.kind !== 'hello' && event.kind !== 'run') continue;
    if (count === 5) break;
    count += 1;
    began = performance.now();
    await submit(`n${count}`);
    began = Math.max(began, performance.now() - 50);
  }
  waits.sort((a, b) => a - b);
  assert.ok(
    (waits[2] ?? Infinity) < 1000,
    `median ${waits[2]} ms; the ping that would find it too comes after 15 s`,
  );
});

test('two hundred streams on one journal reader all see the end of a run', async (t) => {
  const server = await startTestServer(t);
  const client = new VarveClient({ url: server.url });
  const streams = Array.from({ length: 200 }, () => collect(client.events(), ended));
  await eventually(async () => (await server.get('/metrics')).text.includes('varve_event_followers 200'));
  await server.run([shell('a', 'echo a')]);
  const all = await Promise.all(streams);
  const texts = new Set(all.map((events) => JSON.stringify(events.slice(1))));
  assert.equal(texts.size, 1);
  await eventually(async () => (await server.get('/metrics')).text.includes('varve_event_followers 0'));
});

test('a change while the first follower still looks for the end of the journal does not keep the process busy', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  let notice = (): void => {};
  const hasty: Store = {
    ...store,
    listen(listener) {
      notice = () => listener('journal');
      return store.listen(listener);
    },
    view: {
      ...store.view,
      async lastJournalId() {
        notice();
        await new Promise((resolve) => setImmediate(resolve));
        return store.view.lastJournalId();
      },
    },
  };
  const hub = createEventHub(hasty, (error) => assert.fail(String(error)));
  const first = await hub
    .follow({ access: { realms: undefined } })
    [Symbol.asyncIterator]()
    .next();
  assert.match(String(Buffer.from(first.value as Uint8Array)), /event: hello/);
  await hub.close();
});

test('a client waits for the end of a run', async (t) => {
  const server = await startTestServer(t);
  const client = new VarveClient({ url: server.url });
  const workflow = { name: 'w', actions: [shell('a', 'sleep 0.3; exit 3')] };
  const { run } = await client.submitRun({ workflow });
  assert.equal(await client.waitForRun(run), 'FAILED');
  assert.equal(await client.waitForRun(run), 'FAILED', 'also when it has ended before');
});

test('a process hears on PostgreSQL what another does', async (t) => {
  const database = await testDatabase(t);
  if ('skip' in database) return t.skip(postgresAbsent);
  const set = [`store.url=${database.url}`];
  const [near, far] = [await startTestServer(t, { set, roles: ['api'] }), await startTestServer(t, { set })];
  const client = new VarveClient({ url: near.url });
  const following = collect(client.events(), ended);
  await eventually(async () => (await near.get('/metrics')).text.includes('varve_event_followers 1'));
  await far.run([shell('a', 'echo a')]);
  assert.ok((await following).length > 2);
  await Promise.all([near.close(), far.close()]);
});
