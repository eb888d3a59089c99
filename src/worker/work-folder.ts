// Where a worker keeps its jobs: a folder per process, marked with who it is. What a worker that died has left behind is ended and removed by
// the next one: its jobs are somebody else's by then.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalBackend } from '../backends/local/local-backend.ts';
import { isDead, type ProcessIdentity, thisProcess } from '../engine/process-identity.ts';

const ownerFile = 'owner.json';

export interface WorkFolder {
  readonly path: string;
  release(): Promise<void>;
}

export async function claimFolder(parent: string): Promise<WorkFolder> {
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, `${process.pid}-`));
  await writeFile(join(path, ownerFile), JSON.stringify(thisProcess()));
  return { path, release: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

export async function clearLeftovers(parent: string, cacheDirectory: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    const owner = await readOwner(folder);
    if (!owner || !isDead(owner, thisProcess())) continue;
    for (const job of await readdir(folder)) {
      if (job !== ownerFile) await endJob(job, join(folder, job, 'attempt'), cacheDirectory);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function readOwner(folder: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, ownerFile), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

async function endJob(key: string, directory: string, cacheDirectory: string): Promise<void> {
  const end = Promise.withResolvers<void>();
  const events = { started: () => {}, ended: () => end.resolve() };
  const backend = createLocalBackend({ cacheDirectory, events });
  try {
    const found = await backend.recover({ key, directory }, undefined).catch(() => 'unknown' as const);
    if (found !== 'running') return;
    await backend.cancel(key);
    await end.promise;
  } finally {
    await backend.close();
  }
}
