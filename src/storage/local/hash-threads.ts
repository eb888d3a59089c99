// A few threads that hash large files, started when the first one is met and ended when none came for a while. Hashing
// 1 GiB takes 0.8 s of a core: on the main thread nothing else would happen meanwhile.
import { Worker } from 'node:worker_threads';

export interface FileHash {
  readonly digest: string;
  readonly sizeBytes: number;
}

interface Job {
  readonly fd: number;
  readonly algorithm: string;
  readonly resolve: (hash: FileHash) => void;
  readonly reject: (error: unknown) => void;
}

interface Answer {
  readonly hash?: FileHash;
  readonly error?: { readonly message: string; readonly code?: string; readonly syscall?: string };
}

// Plain JavaScript in a string: a bundle needs no second file and a thread no type stripping (it starts in half the time).
// File descriptors belong to the whole process, so the main thread opens and closes them.
const program = `
const { parentPort } = require('node:worker_threads');
const { readSync } = require('node:fs');
const { createHash } = require('node:crypto');
const buffer = Buffer.allocUnsafeSlow(1 << 20);
parentPort.on('message', ({ fd, algorithm }) => {
  try {
    const hasher = createHash(algorithm);
    let sizeBytes = 0;
    for (;;) {
      const bytes = readSync(fd, buffer, 0, buffer.length, sizeBytes);
      if (bytes === 0) break;
      hasher.update(bytes === buffer.length ? buffer : buffer.subarray(0, bytes));
      sizeBytes += bytes;
    }
    parentPort.postMessage({ hash: { digest: hasher.digest('hex'), sizeBytes } });
  } catch (error) {
    parentPort.postMessage({ error: { message: error.message, code: error.code, syscall: error.syscall } });
  }
});
`;

export class HashThreads {
  readonly #limit: number;
  readonly #idleMs: number;
  readonly #waiting: Job[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Job>();
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(limit: number, idleMs = 2000) {
    this.#limit = limit;
    this.#idleMs = idleMs;
  }

  /** True while threads are there, so that smaller files are worth handing over as well. */
  get running(): boolean {
    return this.#idle.length + this.#busy.size > 0;
  }

  /** Hashes an open file from its start; the descriptor must stay open until the promise settles. */
  hash(fd: number, algorithm: string): Promise<FileHash> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fd, algorithm, resolve, reject });
      this.#assign();
    });
  }

  /** Ends the threads; to be called when no hash is under way. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()));
  }

  #assign(): void {
    clearTimeout(this.#idleTimer);
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? (this.#busy.size < this.#limit ? this.#start() : undefined);
      if (thread === undefined) return;
      const job = this.#waiting.shift()!;
      this.#busy.set(thread, job);
      thread.ref();
      thread.postMessage({ fd: job.fd, algorithm: job.algorithm });
    }
    if (this.#busy.size > 0) return;
    this.#idleTimer = setTimeout(() => void this.close(), this.#idleMs);
    this.#idleTimer.unref();
  }

  #start(): Worker {
    const thread = new Worker(program, { eval: true, execArgv: [], env: {}, stdout: false });
    thread.on('message', (answer: Answer) => {
      const job = this.#release(thread);
      thread.unref();
      this.#idle.push(thread);
      if (answer.hash) job?.resolve(answer.hash);
      else job?.reject(Object.assign(new Error(answer.error?.message), answer.error));
      this.#assign();
    });
    thread.on('error', (error) => {
      this.#release(thread)?.reject(error);
      this.#assign();
    });
    thread.on('exit', () => {
      const job = this.#release(thread);
      const index = this.#idle.indexOf(thread);
      if (index >= 0) this.#idle.splice(index, 1);
      job?.reject(new Error('the hashing thread ended'));
    });
    return thread;
  }

  #release(thread: Worker): Job | undefined {
    const job = this.#busy.get(thread);
    this.#busy.delete(thread);
    return job;
  }
}
