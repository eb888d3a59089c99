// Starts processes that work on a store (child.ts) and reads what they say.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestScope } from '../postgres.ts';

export interface Child {
  readonly process: ChildProcess;
  /** Resolves when it has opened its store. */
  readonly ready: Promise<void>;
  /** What it said so far, apart from `opened`. */
  readonly said: unknown[];
  /** Resolves with its next word; rejects when it ends without another one. */
  next(): Promise<unknown>;
  go(): void;
  /** Resolves when it has ended; rejects when it failed. */
  readonly ended: Promise<{ readonly signal: NodeJS.Signals | null }>;
}

const file = new URL('./child.ts', import.meta.url).pathname;

export function startChild(t: TestScope, task: string, url: string, argument = ''): Child {
  const child = spawn(process.execPath, [file, task, url, argument], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'varve-test-compiled') },
  });
  t.after(async () => {
    child.kill('SIGKILL');
  });
  const said: unknown[] = [];
  const waiting: PromiseWithResolvers<unknown>[] = [];
  const isReady = Promise.withResolvers<void>();
  let errors = '';
  let over: Error | undefined;
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const word: unknown = JSON.parse(line);
    if (word === 'opened') return isReady.resolve();
    said.push(word);
    waiting.shift()?.resolve(word);
  });
  const ended = new Promise<{ signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('close', (code, signal) => {
      const failed = new Error(`${task} ended with ${code ?? signal}: ${errors}`);
      over = failed;
      isReady.reject(failed);
      for (const one of waiting.splice(0)) one.reject(failed);
      if (code === 0 || signal === 'SIGKILL') resolve({ signal });
      else reject(failed);
    });
  });
  ended.catch(() => {});
  isReady.promise.catch(() => {});
  return {
    process: child,
    ready: isReady.promise,
    said,
    next() {
      const word = Promise.withResolvers<unknown>();
      word.promise.catch(() => {});
      if (over) word.reject(over);
      else waiting.push(word);
      return word.promise;
    },
    go: () => child.stdin.write('go\n'),
    ended,
  };
}
