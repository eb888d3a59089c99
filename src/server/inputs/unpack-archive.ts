// Unpacks the archive of a submission into a folder: tar, tar compressed by gzip, or zip. It is input of a stranger: names never lead out
// of the folder, links only inside it, and what comes out is bounded, whatever the archive says about itself.
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { Bytes } from '../../api/route.ts';
import { unpackTarInto } from '../../composition/unpack-tar.ts';
import { VarveError } from '../../core/errors.ts';
import { serverErrors } from '../error-codes.ts';
import { unpackZipInto } from './unpack-zip.ts';

/** Throws SUBMIT_ARCHIVE when the archive is damaged, dangerous or larger than `mostBytes` once unpacked. */
export async function unpackArchive(archive: string, folder: string, mostBytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  try {
    const magic = await firstBytes(archive);
    if (magic.subarray(0, 2).toString('latin1') === 'PK')
      return await unpackZipInto(folder, archive, mostBytes);
    const packed = createReadStream(archive, { highWaterMark: 1 << 18 });
    if (magic[0] !== 0x1f || magic[1] !== 0x8b)
      return await unpackTarInto(folder, limited(packed, mostBytes));
    const plain = packed.pipe(createGunzip());
    packed.on('error', (error) => plain.destroy(error));
    try {
      await unpackTarInto(folder, limited(plain, mostBytes));
    } finally {
      packed.destroy();
      plain.destroy();
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!(error instanceof VarveError) && !/^(Z_|E(NAMETOOLONG|EXIST|NOTDIR|ISDIR))/.test(code)) throw error;
    if (error instanceof VarveError && error.code === 'SUBMIT_ARCHIVE') throw error;
    throw serverErrors.SUBMIT_ARCHIVE(
      (error as Error).message.replace(/^the archive cannot be unpacked: /, ''),
    );
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.subarray(0, bytesRead);
}

async function* limited(bytes: AsyncIterable<Uint8Array>, most: number): Bytes {
  let seen = 0;
  for await (const piece of bytes) {
    seen += piece.length;
    if (seen > most) throw serverErrors.SUBMIT_ARCHIVE(`it holds more than ${most} bytes`);
    yield piece;
  }
}
