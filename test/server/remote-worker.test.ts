// Workers that need only HTTP, against a real server: jobs are fetched, run and sent back; orders are obeyed; fences hold.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { VarveClient } from '../../src/api/client/client.ts';
import { runRemoteWorker } from '../../src/worker/remote-worker.ts';
import { eventually, shell, startTestServer, type TestServer } from './test-server.ts';

interface Scope {
  after(action: () => Promise<void>): void;
}

function startWorker(
  t: Scope,
  server: TestServer,
  more: { tags?: string[]; cores?: number; shared?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'varve-worker-'));
  const stop = new AbortController();
  const notes: string[] = [];
  const running = runRemoteWorker({
    client: new VarveClient({ url: server.url, retries: 0 }),
    name: 'helper',
    tags: more.tags ?? [],
    cores: more.cores ?? 2,
    memoryBytes: 1 << 30,
    sharedStorage: more.shared ?? false,
    folder: join(folder, 'jobs'),
    cacheDirectory: join(folder, 'cache'),
    launcher: 'sh',
    signal: stop.signal,
    note: (text) => void notes.push(text),
    warn: (text) => void notes.push(text),
  });
  t.after(async () => {
    stop.abort();
    await running;
    rmSync(folder, { recursive: true, force: true });
  });
  return { stop, running, notes, folder };
}

const flow = [
  shell('greet', 'printf "hello\\nworld\\n"; mkdir "$VARVE_OUTPUT/deep"; echo x > "$VARVE_OUTPUT/deep/f"', {
    stdout: 'words.txt',
  }),
  shell(
    'count',
    'wc -l < "$VARVE_INPUT_GREET/words.txt"; echo note >&2; ln -s "$VARVE_INPUT_GREET/deep/f" "$VARVE_OUTPUT/link"',
    {
      stdout: 'lines.txt',
      parentActions: ['greet'],
    },
  ),
];

for (const shared of [false, true]) {
  test(`a remote worker runs a workflow${shared ? ' on the storage of the server' : ''}`, async (t) => {
    const server = await startTestServer(t, { roles: ['api', 'manager'] });
    startWorker(t, server, { shared });
    const id = await server.run(flow);
    const run = (await server.get(`runs/${id}`)).json;
    assert.equal(run.state, 'SUCCEEDED', JSON.stringify(run));
    const { dataset } = run.outputs[0];
    assert.equal((await server.get(`datasets/${dataset}/files/lines.txt`)).text.trim(), '2');
    assert.equal((await server.get(`datasets/${dataset}/files/link`)).text, 'x\n');
    const { items } = (await server.get(`runs/${id}/actions?key=count`)).json;
    const log = await server.get(`actions/${items[0].action}/attempts/0/logs/stderr`);
    assert.equal(log.text, 'note\n');
  });
}
