// Real processes of Varve for tests that end them in every way: servers with any roles, and workers that know only their address.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { VarveClient } from '../../src/api/client/client.ts';
import { startVarve } from '../cli/varve.ts';

export interface ProcessOptions {
  readonly home: string;
  /** The store, when it is not the one in the home. */
  readonly store?: string | undefined;
  readonly leaseSeconds?: number;
  readonly set?: readonly string[];
}

export class VarveProcess {
  readonly child: ChildProcess;
  text = '';
  readonly #exit: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    }
    this.#exit = new Promise((resolve) => child.once('exit', resolve));
  }

  /** Resolves once the process has said something that matches. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the process ended: ${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.#exit;
  }
}

function settings({ store, leaseSeconds = 2, set = [] }: ProcessOptions): string[] {
  const all = [`execution.leaseSeconds=${leaseSeconds}`, 'log.level=warn', ...set];
  if (store !== undefined) all.push(`store.url=${store}`);
  return all.flatMap((one) => ['--set', one]);
}

export function startServer(options: ProcessOptions, roles: string, port: number): VarveProcess {
  const words = ['serve', '--roles', roles, '--listen', `127.0.0.1:${port}`, ...settings(options)];
  return new VarveProcess(startVarve(options.home, words));
}

export function startRemoteWorker(
  home: string,
  port: number,
  name: string,
  words: readonly string[] = [],
): VarveProcess {
  mkdirSync(home, { recursive: true });
  const all = ['--server', `http://127.0.0.1:${port}`, 'worker', '--name', name, '--cores', '2', ...words];
  return new VarveProcess(startVarve(home, all));
}

export function clientOf(port: number): VarveClient {
  return new VarveClient({ url: `http://127.0.0.1:${port}`, retries: 50 });
}

/** A port of the loopback interface that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
