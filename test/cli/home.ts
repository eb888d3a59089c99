// A home of its own for tests that run the program as users do.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Home {
  readonly folder: string;
  readonly #env: Record<string, string>;

  constructor(t: TestContext, env: Record<string, string> = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'varve-cli-'));
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      VARVE_HOME: join(this.folder, 'home'),
      ...env,
    };
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file below the folder and returns its path. */
  write(name: string, content: string | object): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  run(...words: string[]): Finished {
    return spawnSync(process.execPath, [main, ...words], {
      cwd: this.folder,
      env: this.#env,
      encoding: 'utf8',
    });
  }

  /** Runs and reads the JSON answer; a failure of the command is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
  json(...words: string[]): any {
    const { status, stdout, stderr } = this.run(...words, '--json');
    if (status !== 0 && stdout === '') throw new Error(`varve ${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }

  start(...words: string[]): { readonly child: ChildProcess; readonly ended: Promise<Finished> } {
    const child = spawn(process.execPath, [main, ...words], { cwd: this.folder, env: this.#env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => {
      stdout += data;
    });
    child.stderr.on('data', (data: Buffer) => {
      stderr += data;
    });
    const ended = new Promise<Finished>((resolve) => {
      child.on('close', (status) => resolve({ status, stdout, stderr }));
    });
    return { child, ended };
  }
}

/** An action that runs a shell command. */
export function shell(id: string, command: string, more: object = {}): object {
  return { id, name: id, type: 'command-line', command, ...more };
}
