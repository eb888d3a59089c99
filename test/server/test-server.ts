// A real server in this process on a free port, with a home of its own, for tests that talk to it over real connections.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { loadConfig } from '../../src/config/load-config.ts';
import { type RunningServer, serve } from '../../src/server/serve.ts';
import { openVarve, type Varve } from '../../src/varve.ts';

export interface TestServerOptions {
  /** `key=value` settings. */
  readonly set?: readonly string[];
  readonly roles?: readonly string[];
  readonly home?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
  readonly json: any;
}

export class TestServer {
  readonly home: string;
  readonly varve: Varve;
  readonly url: string;
  readonly log: string[];
  readonly #running: RunningServer;
  #closing: Promise<void> | undefined;

  constructor(home: string, varve: Varve, running: RunningServer, log: string[]) {
    this.home = home;
    this.varve = varve;
    this.url = running.url ?? '';
    this.log = log;
    this.#running = running;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.url}${path.startsWith('/') ? path : `/api/v1/${path}`}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson =
      /json/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', path, undefined, headers);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }

  /** Submits a workflow and waits for its end; returns the number of the run. */
  async run(
    actions: readonly object[],
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<number> {
    const answer = await this.post('runs', { workflow: { name: 'flow', actions }, ...more }, headers);
    if (answer.status !== 201) throw new Error(answer.text);
    await this.varve.wait(answer.json.run);
    return answer.json.run;
  }

  /** May be repeated; a test with a database of its own closes before that is dropped. */
  close(): Promise<void> {
    this.#closing ??= this.#running.close().then(() => this.varve.close());
    return this.#closing;
  }
}

export async function startTestServer(
  t: { after(action: () => Promise<void>): void },
  { set = [], roles = ['api', 'manager', 'worker'], home }: TestServerOptions = {},
): Promise<TestServer> {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'varve-server-'));
  const environment = {
    variables: {},
    workingFolder: folder,
    userFolder: folder,
    platform: process.platform,
  };
  const { config } = await loadConfig(environment, {
    home: folder,
    set: [...set, 'execution.launcher=sh'],
  });
  const log: string[] = [];
  const logStream = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const problems = (error: unknown, doing: string): void => void log.push(`${doing}: ${String(error)}`);
  const varve = await openVarve({ config, onProblem: problems });
  const listen = { host: '127.0.0.1', port: 0 };
  const running = await serve({ varve, listen, roles, logStream, onProblem: problems });
  const server = new TestServer(folder, varve, running, log);
  t.after(async () => {
    await server.close();
    if (home === undefined) rmSync(folder, { recursive: true, force: true });
  });
  return server;
}

/** An action that runs a shell command. */
export function shell(id: string, command: string, more: object = {}): object {
  return { id, command, ...more };
}

/** Waits until the condition holds; a test that waits in vain runs into its own time limit. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let waits = 0; !(await condition()); waits += 1) {
    if (waits > 1600) throw new Error('it never came about');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
