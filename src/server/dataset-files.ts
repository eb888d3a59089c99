// Files of datasets for callers: single ones with ranges, and all of them as an archive. A path is followed only as far as it stays inside
// the dataset.
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Bytes, Download } from '../api/route.ts';
import type { DatasetRow } from '../core/rows.ts';
import { engineErrors } from '../engine/error-codes.ts';
import { holdForDownload } from '../engine/keep-dataset.ts';
import { byteRange } from './byte-range.ts';
import type { Caller, Site } from './caller.ts';
import { serverErrors } from './error-codes.ts';
import { pieces } from './file-pieces.ts';
import { tarOf } from './tar.ts';

const longestDownloadMs = 24 * 3600_000;

/** What browsers may show; everything else is only bytes to them. */
const shownTypes: Readonly<Record<string, string>> = {
  '.txt': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.csv': 'text/plain; charset=utf-8',
  '.tsv': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** The location of the files, or the error that says that there are none. */
export function requireStored(dataset: DatasetRow): string {
  if (dataset.location === null || !['STORED', 'LEAF'].includes(dataset.state))
    throw engineErrors.DATASET_NOT_STORED(dataset.signature, dataset.state);
  return dataset.location;
}

export async function readDatasetFile(
  { varve }: Site,
  dataset: DatasetRow,
  path: string,
  range: string | undefined,
): Promise<Download> {
  const root = await realpath(varve.storage.path(requireStored(dataset)));
  const { real, stats } = await findInside(root, path);
  const part = byteRange(range, stats.size);
  const [first, last] = part ? [part.first, part.last] : [0, stats.size - 1];
  return {
    contentType: shownTypes[extname(path).toLowerCase()] ?? 'application/octet-stream',
    body: pieces(real, first, last + 1),
    sizeBytes: last - first + 1,
    etag: `"${dataset.digest?.slice(0, 32)}-${stats.ino}-${stats.size}"`,
    fileName: path.slice(path.lastIndexOf('/') + 1),
    ...(part ? { part: { ...part, of: stats.size } } : {}),
  };
}

async function findInside(root: string, path: string): Promise<{ real: string; stats: Stats }> {
  const wrong = path.includes('\0') || path.split('/').some((part) => part === '..' || part === '.');
  const real = wrong ? undefined : await realpath(join(root, path)).catch(() => undefined);
  const stats = real?.startsWith(`${root}/`) ? await stat(real) : undefined;
  if (real === undefined || !stats?.isFile()) throw serverErrors.FILE_NOT_FOUND(path.slice(0, 300));
  return { real, stats };
}

/** All files as a tar stream; the dataset is held until the last byte has gone. */
export async function readDatasetArchive(
  { site: { varve }, signal }: Pick<Caller, 'site' | 'signal'>,
  dataset: DatasetRow,
): Promise<Download> {
  const location = requireStored(dataset);
  const release = await holdForDownload(varve.engine.context, dataset, longestDownloadMs);
  let released: Promise<void> | undefined;
  const letGo = (): Promise<void> => (released ??= release());
  // A caller may go before the first byte.
  signal?.addEventListener('abort', () => void letGo().catch(() => {}), { once: true });
  const held = async function* (): Bytes {
    try {
      yield* tarOf(varve.storage.path(location), await varve.storage.entries(location));
    } finally {
      await letGo();
    }
  };
  return {
    contentType: 'application/x-tar',
    body: held(),
    fileName: `${dataset.name.replace(/[^\w.-]+/g, '_').slice(0, 100)}-${dataset.signature.slice(0, 12)}.tar`,
  };
}
