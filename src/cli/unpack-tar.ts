// Unpacks a tar stream into a new folder, which appears complete or not at all.
import { mkdir, rename, rm } from 'node:fs/promises';
import type { Bytes } from '../api/route.ts';
import { unpackTarInto } from '../composition/unpack-tar.ts';
import { cliErrors } from './error-codes.ts';

/** A folder that is there already is replaced only if it is empty. */
export async function unpackTar(bytes: Bytes, folder: string): Promise<void> {
  const part = `${folder}.part-${process.pid}`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  try {
    await unpackTarInto(part, bytes);
    await rename(part, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST' || error.code === 'ENOTDIR')
        throw cliErrors.CLI_TARGET_EXISTS(folder);
      throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
