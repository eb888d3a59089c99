// The files of jobs that execute on machines which do not see the storage: what was prepared and what is read goes there, logs and outputs
// come back. A worker gets what its job may read, nothing else (I9), and what it sends stays inside the attempt's directory.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Bytes, Download } from '../../api/route.ts';
import { listTree } from '../../composition/list-tree.ts';
import { unpackTarInto } from '../../composition/unpack-tar.ts';
import type { BackendJob } from '../../core/ports/backend.ts';
import { byteRange } from '../byte-range.ts';
import { serverErrors } from '../error-codes.ts';
import { pieces } from '../file-pieces.ts';
import { tarOf } from '../tar.ts';

/** What was prepared in the attempt's directory, control files and logs left out. */
export function preparedFiles(job: BackendJob): Download {
  const entries = async function* () {
    for await (const entry of listTree(job.directory)) {
      const [top] = entry.path.split('/', 1);
      if (top !== 'control' && top !== 'logs' && !top?.startsWith('upload-')) yield entry;
    }
  };
  return { contentType: 'application/x-tar', body: tarOf(job.directory, entries()) };
}

export async function inputFiles(
  job: BackendJob,
  number: number,
  range: string | undefined,
): Promise<Download> {
  const path = job.travel?.reads[number];
  if (path === undefined) throw serverErrors.JOB_INPUT_MISSING(job.key, number);
  const facts = await stat(path).catch(() => undefined);
  if (!facts) throw serverErrors.JOB_INPUT_MISSING(job.key, number);
  if (facts.isDirectory()) return { contentType: 'application/x-tar', body: tarOf(path, listTree(path)) };
  const part = byteRange(range, facts.size);
  const [first, last] = part ? [part.first, part.last] : [0, facts.size - 1];
  return {
    contentType: 'application/octet-stream',
    body: pieces(path, first, last + 1),
    sizeBytes: last - first + 1,
    ...(part ? { part: { ...part, of: facts.size } } : {}),
  };
}

/** Returns how long the log is now. Bytes below its end are passed over, so that an upload may be repeated. */
export async function appendLog(
  job: BackendJob,
  stream: 'stdout' | 'stderr',
  offset: number,
  bytes: Bytes,
): Promise<number> {
  const path = job[stream];
  if (job.travel?.returns.some((folder) => path.startsWith(`${folder}/`)))
    throw serverErrors.JOB_LOG_IS_OUTPUT(stream);
  await mkdir(dirname(path), { recursive: true });
  await using file = await open(path, 'a+');
  let size = (await file.stat()).size;
  if (offset > size) throw serverErrors.JOB_LOG_GAP(stream, size, offset);
  let at = offset;
  for await (const piece of bytes) {
    const fresh = piece.subarray(Math.min(piece.length, Math.max(0, size - at)));
    at += piece.length;
    if (fresh.length === 0) continue;
    await file.appendFile(fresh);
    size += fresh.length;
  }
  return size;
}

/**
 * Unpacks beside the directories that come back, then puts what arrived in their place. `stillIts` is asked just before: what a worker
 * sends that has lost the job is thrown away.
 */
export async function replaceOutput(
  job: BackendJob,
  bytes: Bytes,
  stillIts: () => Promise<unknown>,
): Promise<void> {
  const returns = job.travel?.returns ?? [];
  const reads = job.travel?.reads ?? [];
  const readable = (target: string): string | undefined =>
    !target.split('/').includes('..') &&
    reads.some((path) => target === path || target.startsWith(`${path}/`))
      ? target
      : undefined;
  const part = await mkdtemp(join(job.directory, `upload-${randomBytes(4).toString('hex')}-`));
  try {
    await unpackTarInto(part, bytes, { outside: readable });
    const names = returns.map((folder) => relative(job.directory, folder));
    for await (const { path, kind } of listTree(part)) {
      const known = names.some(
        (name) => path === name || path.startsWith(`${name}/`) || name.startsWith(`${path}/`),
      );
      if (!known || (names.includes(path) && kind !== 'directory')) throw serverErrors.JOB_OUTPUT_PLACE(path);
    }
    await stillIts();
    for (const name of names) {
      await mkdir(join(part, name), { recursive: true });
      await rm(join(job.directory, name), { recursive: true, force: true });
      await rename(join(part, name), join(job.directory, name));
    }
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
