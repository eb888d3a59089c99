// Traces are sent to a collector by OTLP over HTTP: here a real HTTP server that keeps what it is sent and can be told how to answer.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually, shell, startTestServer } from './test-server.ts';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, string | number | boolean> }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status: { code?: number; message?: string };
}

class Collector {
  readonly spans: SentSpan[] = [];
  readonly requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  url = '';
  /** What the next requests are answered with; 200 after these. */
  answers: { status: number; body?: string }[] = [];

  async start(t: { after(action: () => Promise<void>): void }): Promise<this> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (piece: string) => {
        body += piece;
      });
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        this.requests.push({ method, path, headers, body });
        const { status, body: answer = '{}' } = this.answers.shift() ?? { status: 200 };
        if (status === 200) {
          for (const { scopeSpans } of JSON.parse(body).resourceSpans)
            for (const { spans } of scopeSpans) this.spans.push(...spans);
        }
        response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return this;
  }

  async named(name: string): Promise<SentSpan> {
    let found: SentSpan | undefined;
    await eventually(async () => {
      found = this.spans.find((span) => span.name === name);
      return found !== undefined;
    });
    return found as SentSpan;
  }
}

function attribute(span: SentSpan, key: string): string | number | boolean | undefined {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value && Object.values(value)[0];
}

test('a request, and the run that it submits, become traces that lead to each other', async (t) => {
  const collector = await new Collector().start(t);
  const server = await startTestServer(t, {
    set: [`tracing.endpoint=${collector.url}`, 'tracing.headers=authorization=Bearer%20abc,x-team=one'],
  });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const actions = [shell('good', 'echo 1 > "$VARVE_OUTPUT/o"'), shell('bad', 'exit 7')];
  const run = await server.run(actions, {}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });

  const request = await collector.named('POST /api/v1/runs');
  assert.equal(request.traceId, traceId);
  assert.equal(request.parentSpanId, '00f067aa0ba902b7');
  assert.equal(request.kind, 2);
  assert.equal(attribute(request, 'http.response.status_code'), '201');
  assert.equal(attribute(request, 'http.route'), '/api/v1/runs');
  assert.equal(attribute(request, 'varve.run'), String(run));
  const write = await collector.named('store write');
  assert.deepEqual([write.traceId, write.parentSpanId], [traceId, request.spanId]);

  const flow = await collector.named('flow');
  assert.deepEqual(
    request.links?.map((link) => [link.traceId, link.spanId]),
    [[flow.traceId, flow.spanId]],
  );
  assert.equal(attribute(flow, 'varve.state'), 'FAILED');
  assert.equal(flow.status.code, 2);
  const good = await collector.named('good');
  const bad = await collector.named('bad');
  for (const action of [good, bad])
    assert.deepEqual([action.traceId, action.parentSpanId], [flow.traceId, flow.spanId]);
  assert.deepEqual([good.status.code, bad.status.code], [undefined, 2]);
  const attempt = await collector.named('bad attempt 1');
  assert.equal(attempt.parentSpanId, bad.spanId);
  assert.equal(attribute(attempt, 'process.exit.code'), '7');
  for (const span of collector.spans)
    assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name);

  const [sent] = collector.requests;
  assert.deepEqual(
    [
      sent?.method,
      sent?.path,
      sent?.headers['content-type'],
      sent?.headers.authorization,
      sent?.headers['x-team'],
    ],
    ['POST', '/v1/traces', 'application/json', 'Bearer abc', 'one'],
  );
  const resource = JSON.parse(sent?.body ?? '').resourceSpans[0].resource.attributes;
  assert.deepEqual(
    resource.find(({ key }: { key: string }) => key === 'service.name'),
    { key: 'service.name', value: { stringValue: 'varve' } },
  );
});

test('what the caller or the share leaves out is not told', async (t) => {
  const collector = await new Collector().start(t);
  const server = await startTestServer(t, {
    set: [`tracing.endpoint=${collector.url}/v1/traces`, 'tracing.share=0%'],
    roles: ['api'],
  });
  await server.get('runs');
  await server.get('workers', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' });
  await server.get('healthz', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
  await server.get('/healthz');
  await server.get('/metrics');
  await server.get('history', { traceparent: '00-00000000000000000000000000000000-00f067aa0ba902b7-01' });
  await server.get('runs', { traceparent: '00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
  await server.close();
  const told = new Set(collector.spans.map((span) => span.traceId));
  assert.deepEqual([...told].sort(), [
    '4bf92f3577b34da6a3ce929d0e0e4736',
    '5bf92f3577b34da6a3ce929d0e0e4736',
  ]);
  assert.ok(collector.spans.some(({ name }) => name === 'GET /api/v1/runs'));
});

test('a collector that is busy is asked again; one that refuses is reported once, and work goes on', async (t) => {
  const collector = await new Collector().start(t);
  collector.answers = [{ status: 503 }];
  const server = await startTestServer(t, { set: [`tracing.endpoint=${collector.url}`], roles: ['api'] });
  await server.get('runs');
  await collector.named('GET /api/v1/runs');
  assert.equal(server.log.filter((line) => line.includes('answers with 503')).length, 1);

  collector.answers = [{ status: 400 }, { status: 400 }];
  await server.get('workers');
  await eventually(async () => collector.answers.length === 1);
  await server.get('storage');
  await eventually(async () => collector.answers.length === 0);
  assert.equal(server.log.filter((line) => line.includes('answers with 400')).length, 1);
});

test('without a collector at the address the server answers and closes as ever', async (t) => {
  const server = await startTestServer(t, { set: ['tracing.endpoint=http://127.0.0.1:9'] });
  const run = await server.run([shell('a', 'echo 1 > "$VARVE_OUTPUT/o"')]);
  assert.equal((await server.get(`runs/${run}`)).json.state, 'SUCCEEDED');
  await server.close();
  assert.equal(server.log.filter((line) => line.includes('does not take traces')).length, 1);
});

test('headers that are none are refused at the start, without showing the secret', async (t) => {
  await assert.rejects(
    startTestServer(t, { set: ['tracing.endpoint=http://127.0.0.1:9', 'tracing.headers=topsecret'] }),
    (error: Error & { code?: string }) =>
      error.code === 'TRACES_HEADERS' && !error.message.includes('topsecret'),
  );
});
