// Real directories and real processes for the suites of the local back-end.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../../src/backends/local/job-journal.ts';
import type { LocalBackendOptions } from '../../src/backends/local/local-backend.ts';
import { createLocalBackend } from '../../src/backends/local/local-backend.ts';
import { isAlive } from '../../src/backends/local/process-identity.ts';
import type { Backend, BackendEvents, BackendJob } from '../../src/core/ports/backend.ts';
import type { ContractWorld } from './contract.ts';
import { until } from './event-log.ts';

export type LauncherKind = 'c' | 'sh';

/** Compiled launchers are shared by all test processes, as they are by all processes of a user. */
export const cacheDirectory = join(import.meta.dirname, '../../node_modules/.cache/varve');

const untilReleased = 'echo $$ >> starts; until [ -e go ]; do sleep 0.01; done; read code < go; exit $code';

export class LocalWorld implements ContractWorld {
  readonly root = mkdtempSync(join(tmpdir(), 'varve-local-'));
  readonly #launcher: LauncherKind;
  readonly #backends: Backend[] = [];
  readonly #directories = new Set<string>();

  constructor(launcher: LauncherKind) {
    this.#launcher = launcher;
  }

  open(events: BackendEvents, options: Partial<LocalBackendOptions> = {}): Backend {
    const backend = createLocalBackend({ cacheDirectory, launcher: this.#launcher, events, ...options });
    this.#backends.push(backend);
    return backend;
  }

  async abandon(backend: Backend): Promise<void> {
    await backend.close();
  }

  job(key: string, fields: Partial<BackendJob> = {}): BackendJob {
    const directory = join(this.root, key);
    this.#directories.add(directory);
    mkdirSync(directory, { recursive: true });
    return {
      key,
      directory,
      argv: ['sh', '-c', untilReleased],
      env: { PATH: '/usr/bin:/bin' },
      cwd: directory,
      stdout: join(directory, 'stdout'),
      stderr: join(directory, 'stderr'),
      resources: { cores: 1 },
      killGraceMs: 2000,
      priority: 0,
      ...fields,
    };
  }

  /** A job that runs a shell script. */
  script(key: string, script: string, fields: Partial<BackendJob> = {}): BackendJob {
    return this.job(key, { argv: ['sh', '-c', script], ...fields });
  }

  read(key: string, file: string): string {
    return readFileSync(join(this.root, key, file), 'utf8');
  }

  release(key: string, exitCode: number): void {
    const path = join(this.root, key, 'go');
    writeFileSync(`${path}.new`, `${exitCode}\n`);
    renameSync(`${path}.new`, path);
  }

  starts(key: string): number {
    try {
      return this.read(key, 'starts').split('\n').length - 1;
    } catch {
      return 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const backend of this.#backends) await backend.close();
    for (const directory of this.#directories) {
      writeFileSync(join(directory, 'go'), '0\n');
      await until(`the job in ${directory} has ended`, () => {
        const state = readJournal(directory);
        return state.kind !== 'started' || !isAlive(state.start.launcher);
      });
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}
