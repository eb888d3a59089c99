// Compares stored files with what was recorded about them, at three depths. What is wrong with the files is an answer;
// only trouble with the storage itself is an error.

import { VarveError } from '../../core/errors.ts';
import type { ExpectedFiles, Inspection, InspectionDepth } from '../../core/ports/storage.ts';
import { type DigestTools, digestTree } from './digest-tree.ts';
import type { FileSystem } from './file-system.ts';
import { scanTree } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';
import { summarizeTree } from './summarize-tree.ts';
import { TimeSlice } from './time-slice.ts';

export async function inspectDataset(
  tools: DigestTools,
  path: string,
  expected: ExpectedFiles,
  depth: InspectionDepth,
): Promise<Inspection> {
  const stats = tools.fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return 'missing';
  if (!stats.isDirectory()) return 'damaged';
  if (depth === 'exists') return 'intact';
  try {
    const scanned = await scanTree(tools.fs, path, stats, false);
    const files = scanned.filter((entry) => entry.kind === 'file');
    const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    if (sizeBytes !== expected.sizeBytes || scanned.some((entry) => entry.kind === 'special'))
      return 'damaged';
    if (expected.fileCount !== undefined && files.length !== expected.fileCount) return 'damaged';
    if (depth === 'sizes') return 'intact';
    const { digest } = await summarizeTree(await digestTree(tools, path, scanned));
    return digest === expected.digest ? 'intact' : 'damaged';
  } catch (error) {
    // Changed under our eyes, a name that was never published, or a sector that cannot be read: not what was recorded.
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EIO')) return 'damaged';
    if (error instanceof VarveError && error.code === 'OUTPUT_NAME_NOT_UTF8') return 'damaged';
    throw error;
  }
}

// A local disk answers in 2 µs, and going through the thread pool would take ten times as long; a file server takes
// so long that the pool pays.
const slowStatMs = 0.1;
const inParallel = 32;

/** Which of the paths are there, in their order. */
export async function whichExist(fs: FileSystem, paths: readonly string[]): Promise<readonly boolean[]> {
  const there: boolean[] = [];
  const slice = new TimeSlice();
  let started = performance.now();
  while (there.length < paths.length) {
    const path = paths[there.length]!;
    // `existsSync` is twice as fast but says no for every trouble; `statSync` throws unless there is nothing.
    there.push(fs.existsSync(path) || fs.statSync(path, { throwIfNoEntry: false }) !== undefined);
    if (!slice.over) continue;
    const slow = (performance.now() - started) / there.length > slowStatMs;
    const paused = performance.now();
    await slice.pause();
    started += performance.now() - paused;
    while (slow && there.length < paths.length) {
      const group = paths.slice(there.length, there.length + inParallel);
      there.push(...(await Promise.all(group.map((path) => exists(fs, path)))));
    }
  }
  return there;
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}
