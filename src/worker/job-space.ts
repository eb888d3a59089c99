// One job on a machine that does not see the server's storage: a folder with what the server prepared and what the job reads, the job in
// terms of that folder, and what comes back in terms of the server.
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Output } from '../api/api.ts';
import type { Bytes, Download } from '../api/route.ts';
import { listTree } from '../composition/list-tree.ts';
import { unpackTarInto } from '../composition/unpack-tar.ts';
import type { BackendJob } from '../core/ports/backend.ts';
import { tarOf } from '../server/tar.ts';
import { type PathPair, pathMap } from './path-map.ts';

export type RemoteJob = Output<'pollWork'>['jobs'][number];

/** How the files of a job are fetched. */
export interface JobFiles {
  prepared(): Promise<Download>;
  input(number: number): Promise<Download>;
}

export class JobSpace {
  readonly job: RemoteJob;
  readonly folder: string;
  readonly #attempt: string;
  readonly #pairs: readonly PathPair[];
  readonly #toHere: (text: string) => string;
  readonly #toServer: (text: string) => string;

  constructor(job: RemoteJob, folder: string) {
    this.job = job;
    this.folder = folder;
    this.#attempt = join(folder, 'attempt');
    this.#pairs = [
      [job.directory, this.#attempt],
      ...job.inputs.map((path, i): PathPair => [path, join(folder, 'inputs', String(i), basename(path))]),
    ];
    this.#toHere = pathMap(this.#pairs);
    this.#toServer = pathMap(this.#pairs.map(([there, here]): PathPair => [here, there]));
  }

  /** Fetches everything anew; may be repeated. */
  async fill(files: JobFiles): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    for (const part of ['work', 'out', 'logs']) await mkdir(join(this.#attempt, part), { recursive: true });
    await unpackTarInto(this.#attempt, (await files.prepared()).body, { outside: this.#toHere });
    for (const [i, path] of this.job.inputs.entries()) {
      const here = this.#toHere(path);
      const { contentType, body } = await files.input(i);
      if (contentType.startsWith('application/x-tar')) {
        await mkdir(here, { recursive: true });
        await unpackTarInto(here, body, { outside: this.#toHere });
      } else {
        await mkdir(join(this.folder, 'inputs', String(i)), { recursive: true });
        await pipeline(body, createWriteStream(here));
      }
    }
  }

  /** The job for the local back-end. */
  localJob(): BackendJob {
    const { job } = this;
    const here = this.#toHere;
    return {
      ...sharedJob(job),
      directory: this.#attempt,
      argv: job.argv.map(here),
      env: Object.fromEntries(Object.entries(job.env).map(([name, value]) => [name, here(value)])),
      cwd: here(job.cwd),
      stdin: job.stdin === null ? undefined : here(job.stdin),
      stdout: here(job.stdout),
      stderr: here(job.stderr),
    };
  }

  /** Where a log that is sent apart from the output lies here. */
  logPath(stream: 'stdout' | 'stderr'): string | undefined {
    const path = this.job[stream];
    const isOutput = this.job.returns.some((folder) => path.startsWith(`${folder}/`));
    return isOutput ? undefined : this.#toHere(path);
  }

  /** What the job left in the directories that come back, as tar; links lead where they lead on the server. */
  output(): Bytes {
    const attempt = this.#attempt;
    const names = this.job.returns.map((folder) => relative(this.job.directory, folder));
    const toServer = this.#toServer;
    const entries = async function* () {
      for (const name of names) {
        yield { kind: 'directory' as const, path: name };
        for await (const entry of listTree(attempt, name)) {
          yield entry.kind === 'symlink' ? { ...entry, target: toServer(entry.target) } : entry;
        }
      }
    };
    return tarOf(attempt, entries());
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The job as it is, for a machine that sees the storage. */
export function sharedJob(job: RemoteJob): BackendJob {
  return {
    key: job.key,
    directory: job.directory,
    argv: job.argv,
    env: job.env,
    cwd: job.cwd,
    stdin: job.stdin ?? undefined,
    stdout: job.stdout,
    stderr: job.stderr,
    resources: { cores: job.cores, memoryBytes: job.memoryBytes ?? undefined },
    timeoutMs: job.timeoutMs ?? undefined,
    killGraceMs: job.killGraceMs ?? undefined,
    priority: job.priority,
  };
}
