// Whatever is sent to it, the server answers: no failure of its own, no hang, and every answer fits the OpenAPI document.
// VARVE_TEST_FUZZ_REQUESTS and VARVE_TEST_FUZZ_SEED choose how many and which; a failure names its seed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { openApiDocument } from '../../src/api/openapi.ts';
import { type Known, type MadeUpRequest, requests } from './openapi-arbitrary.ts';
import { shell, startTestServer, type TestServer } from './test-server.ts';

const count = Number(process.env.VARVE_TEST_FUZZ_REQUESTS ?? 1000);
const seed = Number(process.env.VARVE_TEST_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const atOnce = 8;
const longestMs = 20_000;

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const document = openApiDocument() as any;
const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'api', components: document.components });

/** Checks answers against the document; references lead into it. */
function answerCheck(operation: string, status: number) {
  const key = `${operation} ${status}`;
  const known = ajv.getSchema(key);
  if (known) return known;
  for (const item of Object.values(document.paths) as Record<
    string,
    { operationId: string; responses: Record<string, { content?: Record<string, { schema: unknown }> }> }
  >[]) {
    for (const one of Object.values(item)) {
      if (one.operationId !== operation) continue;
      const answer = one.responses[status] ?? one.responses.default;
      const schema =
        answer?.content?.['application/json']?.schema ??
        answer?.content?.['application/problem+json']?.schema;
      if (!schema) return undefined;
      const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
      return ajv.addSchema({ ...JSON.parse(text), $id: undefined }, key).getSchema(key);
    }
  }
  throw new Error(`${operation} is not in the document`);
}

async function send(server: TestServer, request: MadeUpRequest): Promise<string | undefined> {
  const { method, path, headers, body } = request;
  const signal = AbortSignal.timeout(longestMs);
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body }),
  });
  if (response.status >= 500) return `${response.status} ${await response.text()}`;
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return void (await response.body?.cancel());
  const text = await response.text();
  if (!/^application\/(problem\+)?json/.test(type)) return undefined;
  // An address that no route has, such as one with an empty part, is answered without an operation.
  const check = answerCheck(request.operation, response.status);
  if (check && !check(JSON.parse(text)))
    return `${response.status} ${text.slice(0, 500)} does not fit: ${ajv.errorsText(check.errors)}`;
  return undefined;
}

test(`${count} made-up requests find no failure and no hang`, { timeout: 1_800_000 }, async (t) => {
  const server = await startTestServer(t);
  const run = await server.run([
    shell('a', 'echo a', { stdout: 'a.txt' }),
    shell('b', 'cat "$VARVE_INPUT_A/a.txt"', { stdout: 'b.txt', parentActions: ['a'] }),
  ]);
  const datasets = (await server.get('datasets')).json.items.map((one: { dataset: string }) => one.dataset);
  const workflow = JSON.stringify({ name: 'f', actions: [{ id: 'x', command: 'true' }] });
  const known: Known = {
    run: [run],
    action: [1, 2, 'a'],
    attempt: [0, 1],
    dataset: datasets,
    path: ['a.txt', 'b.txt'],
    workflow: [workflow, 'name: f\nactions:\n  - id: x\n    command: [echo, x]\n'],
    project: ['shared'],
    key: ['a'],
    actions: ['a'],
  };
  // Streams that go on for ever, and what would take away the ground from under the others.
  const left = new Set(['disableUser', 'putUser']);
  const made = fc
    .sample(requests(document, known), { numRuns: count, seed })
    .filter(({ operation }) => !left.has(operation));
  const found: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let request = made[next++]; request; request = made[next++]) {
      const problem = await send(server, request).catch((error: unknown) => `no answer: ${String(error)}`);
      if (problem)
        found.push(`${request.method} ${request.path} ${request.body?.slice(0, 300) ?? ''}\n  ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  assert.deepEqual(
    found.slice(0, 10),
    [],
    `seed ${seed}: ${found.length} problems\n${found.slice(0, 10).join('\n')}\n${server.log
      .filter((line) => line.includes('"level":50'))
      .slice(0, 5)
      .join('')}`,
  );
  assert.equal((await server.get('/healthz')).status, 200);
});
