// Seals the output directory of an attempt: scan, plan, apply, until nothing is left to change; then digest everything and
// take away write permission. May be repeated after a crash at any point, with equal result.

import type { TreeEntry } from '../../core/tree-digest.ts';
import { storageErrors } from '../error-codes.ts';
import { applySealStep, finishExchanges, identityOf, type SealPlaces } from './apply-seal.ts';
import { type DigestTools, digestTree, type Sealing } from './digest-tree.ts';
import type { FileSystem } from './file-system.ts';
import { planSeal } from './plan-seal.ts';
import { type ScannedEntry, scanTree } from './scan-tree.ts';
import { isErrno } from './storage-error.ts';

export interface SealRequest extends SealPlaces {
  /** Real path of the folder of published datasets. */
  readonly datasets: string;
  readonly inputs: readonly string[];
}

// A dereferenced directory can bring links into further datasets along; each round resolves one level of them.
const maxRounds = 16;
// One message names the first problem; this many more are listed below it.
const maxProblems = 20;

/** Makes the tree at `request.out` safe to publish and returns its entries. */
export async function sealTree(
  tools: DigestTools,
  request: SealRequest,
  sealing: Sealing,
): Promise<readonly TreeEntry[]> {
  const { fs } = tools;
  const shared = new Set<string>();
  finishExchanges(fs, request);
  for (let round = 0; ; round += 1) {
    const scanned = await scanTree(fs, request.out, fs.lstatSync(request.out), true);
    if (!scanned.some(needsPlan)) return digestTree(tools, request.out, scanned, sealing);
    const { steps, problems } = planSeal({
      entries: scanned,
      roots: rootNames(fs, request.out),
      datasets: request.datasets,
      inputs: request.inputs.flatMap((path) => realPath(fs, path) ?? []),
      sharedSafely: shared,
      identityOf: (path) => identityOf(fs, `${request.out}/${path}`),
      realTargetOf: (path) => realPath(fs, `${request.out}/${path}`),
    });
    const [first, ...others] = problems;
    if (first)
      throw others.length === 0 ? first : Object.assign(first, { problems: others.slice(0, maxProblems) });
    if (steps.length === 0) return digestTree(tools, request.out, scanned, sealing);
    if (round === maxRounds) throw storageErrors.OUTPUT_LINK_OUTSIDE(steps[0]!.path, 'links without end');
    for (const step of steps) await applySealStep(fs, request, step, shared);
  }
}

/** Checks that an output directory is one and returns its permission bits; undefined when it is not there. */
export function outputMode(fs: FileSystem, out: string): number | undefined {
  const stats = fs.lstatSync(out, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (!stats.isDirectory()) throw storageErrors.OUTPUT_NOT_A_FOLDER(out);
  return stats.mode & 0o7777;
}

// Most outputs have neither links nor files with several names; for them no plan is made.
function needsPlan(entry: ScannedEntry): boolean {
  return (
    entry.kind === 'symlink' || entry.kind === 'special' || (entry.kind === 'file' && entry.linkCount > 1)
  );
}

function rootNames(fs: FileSystem, out: string): readonly string[] {
  const real = realPath(fs, out);
  return real === undefined || real === out ? [out] : [out, real];
}

function realPath(fs: FileSystem, path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) return undefined;
    throw error;
  }
}
