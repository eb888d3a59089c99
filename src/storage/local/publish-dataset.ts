// Publishes the output directory of an attempt: seal, one rename, close the top directory. A crash between any two file
// operations leaves something that a repeated call completes with equal result: `out` is sealed again, or what is at
// the final place already is read again.
import { constants } from 'node:fs';
import type { PublishedFiles, PublishOptions } from '../../core/ports/storage.ts';
import type { TreeEntry } from '../../core/tree-digest.ts';
import { storageErrors } from '../error-codes.ts';
import { type DigestTools, digestTree } from './digest-tree.ts';
import type { DiskSync } from './disk-sync.ts';
import { deservesManifest, writeManifest } from './manifest.ts';
import { scanTree } from './scan-tree.ts';
import { outputMode, sealTree } from './seal-tree.ts';
import { isErrno } from './storage-error.ts';
import { parentFolder, type StorageFolders } from './storage-folders.ts';
import type { StorageLayout } from './storage-layout.ts';
import { summarizeTree } from './summarize-tree.ts';

export interface PublishTools extends DigestTools {
  readonly layout: StorageLayout;
  readonly folders: StorageFolders;
  readonly sync: DiskSync;
}

export async function publishDataset(
  tools: PublishTools,
  key: string,
  options: PublishOptions,
): Promise<PublishedFiles> {
  const { fs, layout } = tools;
  const location = layout.locationOf(key);
  const final = layout.dataset(location);
  const entries = (await sealAndMove(tools, key, final, options)) ?? (await resume(tools, final));
  await closeTop(tools, final);
  const summary = await summarizeTree(entries);
  if (deservesManifest(entries.length, summary)) {
    const manifest = layout.manifest(location);
    fs.mkdirSync(parentFolder(manifest), { recursive: true });
    if (!fs.existsSync(manifest)) await writeManifest(fs, manifest, summary.digest, entries);
  }
  return { location, ...summary, entries };
}

/** The sealed entries, now at `final`; undefined when they had been published before or by somebody else meanwhile. */
async function sealAndMove(
  tools: PublishTools,
  key: string,
  final: string,
  options: PublishOptions,
): Promise<readonly TreeEntry[] | undefined> {
  const { fs, layout, folders, sync } = tools;
  // A location is named after the attempt: what is there is this attempt's output, published before a crash.
  if (fs.existsSync(final)) return undefined;
  const { directory, out } = layout.space(key);
  const mode = outputMode(fs, out);
  if (mode === undefined) {
    folders.checkPresence();
    if (fs.existsSync(final)) return undefined;
    throw storageErrors.OUTPUT_FOLDER_MISSING(out);
  }
  try {
    const places = {
      out,
      seal: `${directory}/seal`,
      datasets: layout.datasets,
      inputs: options.inputs ?? [],
    };
    const entries = await sealTree(tools, places, { sync });
    // A directory that may not be written to cannot be moved to another parent.
    if ((mode & 0o200) === 0) fs.chmodSync(out, 0o700);
    folders.within(final, () => fs.renameSync(out, final));
    return entries;
  } catch (error) {
    if (isErrno(error, 'EXDEV')) throw storageErrors.STORAGE_SPLIT.with({ cause: error }, out, final);
    if (isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST') && fs.existsSync(final)) return undefined;
    throw error;
  }
}

async function resume(tools: PublishTools, final: string): Promise<readonly TreeEntry[]> {
  const scanned = await scanTree(tools.fs, final, tools.fs.lstatSync(final), true);
  return digestTree(tools, final, scanned, tools);
}

async function closeTop({ fs, layout, sync }: PublishTools, final: string): Promise<void> {
  if (!sync.enabled) return fs.chmodSync(final, 0o555);
  const fd = fs.openSync(final, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fs.fchmodSync(fd, 0o555);
    const folder = parentFolder(final);
    await Promise.all([sync.descriptor(fd), sync.directory(folder), sync.once(folder, layout.datasets)]);
  } finally {
    fs.closeSync(fd);
  }
}
