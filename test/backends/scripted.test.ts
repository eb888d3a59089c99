import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptedBackend, ScriptedWorld } from '../../src/backends/scripted.ts';
import type { Backend, BackendJob } from '../../src/core/ports/backend.ts';
import { backendContract } from './contract.ts';
import { EventLog } from './event-log.ts';

function makeJob(key: string, fields: Partial<BackendJob> = {}): BackendJob {
  return {
    key,
    directory: `/nowhere/${key}`,
    argv: ['true'],
    env: {},
    cwd: '/',
    stdout: '/dev/null',
    stderr: '/dev/null',
    resources: { cores: 1 },
    priority: 0,
    ...fields,
  };
}

backendContract('the scripted back-end', async () => {
  const world = new ScriptedWorld();
  return {
    open: (events, capacity) => new ScriptedBackend({ world, events, capacity }),
    abandon: async (backend: Backend) => (backend as ScriptedBackend).crash(),
    job: makeJob,
    release: (key, exitCode) => world.finish(key, { kind: 'exited', exitCode }),
    starts: (key) => world.starts(key),
    [Symbol.asyncDispose]: async () => {},
  };
});

test('times come from the world, so that a simulation can own them', async () => {
  let now = 1000;
  const world = new ScriptedWorld(() => now);
  const log = new EventLog();
  const backend = new ScriptedBackend({ world, events: log });
  await backend.submit(makeJob('a'));
  now = 5000;
  world.finish('a', { kind: 'exited', exitCode: 1 });
  assert.deepEqual(await log.end('a'), { kind: 'exited', exitCode: 1, startedAt: 1000, endedAt: 5000 });
  assert.equal(log.startedAt.get('a'), 1000);
});

test('a submission can fail before or after the job was taken', async () => {
  const world = new ScriptedWorld();
  const backend = new ScriptedBackend({ world, events: new EventLog() });
  world.submitFault = (job) => (job.key === 'before' ? 'before' : 'after');
  await assert.rejects(backend.submit(makeJob('before')), { code: 'BACKEND_UNAVAILABLE' });
  await assert.rejects(backend.submit(makeJob('after')), { code: 'BACKEND_UNAVAILABLE' });
  assert.deepEqual([world.starts('before'), world.starts('after')], [0, 1]);
});

test('an end can be told twice, and a stubborn job ignores its cancellation until the test ends it', async () => {
  const world = new ScriptedWorld();
  const told: string[] = [];
  const events = { started() {}, ended: (key: string) => void told.push(key) };
  const backend = new ScriptedBackend({ world, events });
  world.ignoreCancel = true;
  await backend.submit(makeJob('a'));
  await backend.cancel('a');
  assert.deepEqual(told, []);
  assert.equal(world.jobs.get('a')?.cancelRequested, true);
  world.finish('a', { kind: 'lost', reason: 'the machine burnt down' });
  world.repeatEnded('a');
  assert.deepEqual(told, ['a', 'a']);
});
