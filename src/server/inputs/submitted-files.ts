// Files that come with submissions. An upload is stored once per user, named by its contents: who knows only what a file of somebody else
// would be called cannot have it. A submission's files are laid out below a folder
// that is named by what is in it, as in the submitter's world: its document may name them by relative paths, and the same files give
// the same folder. Nothing here ever follows a link or a path that a caller made up.
import { createHash, hash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../../api/route.ts';
import { serverErrors } from '../error-codes.ts';

export interface SubmittedFile {
  readonly upload: string;
  readonly executable?: boolean | undefined;
}

export interface Upload {
  readonly upload: string;
  readonly sizeBytes: number;
}

/** An upload whose members lie in a folder of the submitter's world. */
export interface SubmittedArchive {
  readonly upload: string;
  readonly folder: string;
}

export interface SubmittedFiles {
  store(owner: string, bytes: Bytes): Promise<Upload>;
  /** The folder that stands for `/` of the submitter, with the files and the members of an archive below it. */
  layOut(
    owner: string,
    files: Readonly<Record<string, SubmittedFile>>,
    archive?: SubmittedArchive,
  ): Promise<string>;
}

/** Uploads below `folder`, which is made on first use; an archive may unpack to at most `mostBytes`. */
export function submittedFiles(folder: string, mostBytes: number): SubmittedFiles {
  const uploadPath = (owner: string, digest: string): string =>
    join(folder, 'files', hash('sha256', owner, 'hex').slice(0, 16), digest.slice(0, 2), digest);

  const stored = (owner: string, upload: string): string => {
    const path = uploadPath(owner, upload);
    if (!existsSync(path)) throw serverErrors.UPLOAD_NOT_FOUND(upload);
    return path;
  };

  async function store(owner: string, bytes: Bytes): Promise<Upload> {
    const part = join(folder, 'parts', randomUUID());
    await mkdir(dirname(part), { recursive: true });
    const digest = createHash('sha256');
    let sizeBytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        digest.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    };
    try {
      await pipeline(Readable.from(counted()), createWriteStream(part, { flags: 'wx', mode: 0o444 }));
      const upload = digest.digest('hex');
      const path = uploadPath(owner, upload);
      await mkdir(dirname(path), { recursive: true });
      await rename(part, path);
      return { upload, sizeBytes };
    } finally {
      await rm(part, { force: true });
    }
  }

  async function layOut(
    owner: string,
    files: Readonly<Record<string, SubmittedFile>>,
    archive?: SubmittedArchive,
  ): Promise<string> {
    const entries = Object.entries(files).map(([path, file]) => ({ path: checkedPath(path), ...file }));
    entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    const listed = entries.map(({ path, upload, executable }) => [path, upload, executable === true]);
    const packed = archive ? [archive.upload, archive.folder] : [];
    const root = join(folder, 'worlds', hash('sha256', JSON.stringify([owner, listed, ...packed]), 'hex'));
    if (existsSync(root)) return root;
    const part = join(folder, 'parts', randomUUID());
    await mkdir(part, { recursive: true });
    try {
      if (archive) {
        const { unpackArchive } = await import('./unpack-archive.ts');
        await unpackArchive(stored(owner, archive.upload), join(part, archive.folder), mostBytes);
      }
      for (const { path, upload, executable } of entries)
        await place(stored(owner, upload), join(part, path), executable === true);
      await mkdir(dirname(root), { recursive: true });
      await rename(part, root).catch((error: NodeJS.ErrnoException) => {
        // Somebody else laid out the same files at the same moment.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      });
      return root;
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  }

  return { store, layOut };
}

async function place(source: string, target: string, executable: boolean): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    if (!executable) return await link(source, target);
    await copyFile(source, target);
    await chmod(target, 0o555);
    // Equal files look equally old, so that their digests are remembered.
    await utimes(target, 0, 0);
  } catch (error) {
    // One file is named as a folder of another.
    if (['EEXIST', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw serverErrors.UPLOAD_PATH(target.slice(-200));
    throw error;
  }
}

/** The path below the root, without the leading slash. */
function checkedPath(path: string): string {
  const parts = path.split('/').slice(1);
  const right =
    path.startsWith('/') &&
    !path.includes('\0') &&
    parts.length > 0 &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!right || posix.normalize(path) !== path) throw serverErrors.UPLOAD_PATH(path.slice(0, 200));
  return parts.join('/');
}
