// Unpacks a tar stream into a new folder. Names that lead out of the folder, links that do, and anything but files, folders and links are
// refused: an archive is input, whoever sent it.
import { mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { apiErrors } from '../api/error-codes.ts';
import type { Bytes } from '../api/route.ts';
import { cliErrors } from './error-codes.ts';

const blockBytes = 512;
const longestHeader = 1 << 20;

interface Entry {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  readonly target: string;
}

/** The folder appears complete or not at all; one that is there already is replaced only if it is empty. */
export async function unpackTar(bytes: Bytes, folder: string): Promise<void> {
  const part = `${folder}.part-${process.pid}`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  try {
    await unpack(new BlockReader(bytes), part);
    await rename(part, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST' || error.code === 'ENOTDIR')
        throw cliErrors.CLI_TARGET_EXISTS(folder);
      throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function unpack(reader: BlockReader, folder: string): Promise<void> {
  let long: Record<string, string> = {};
  for (;;) {
    const header = await reader.read(blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const entry = parseHeader(header, long);
    if (entry.type === 'x') {
      if (entry.size > longestHeader) throw apiErrors.ARCHIVE_DAMAGED('a header is too long');
      long = parsePax(await reader.read(entry.size));
      await reader.skipPadding(entry.size);
      continue;
    }
    long = {};
    await writeEntry(entry, reader, folder);
  }
}

async function writeEntry(entry: Entry, reader: BlockReader, folder: string): Promise<void> {
  const path = join(folder, insidePath(entry.path));
  await mkdir(dirname(path), { recursive: true });
  if (entry.type === '5') await mkdir(path, { recursive: true });
  else if (entry.type === '2') {
    insidePath(posix.join(posix.dirname(entry.path), entry.target));
    if (entry.target.startsWith('/'))
      throw apiErrors.ARCHIVE_DAMAGED(`${entry.path} leads to ${entry.target}`);
    await symlink(entry.target, path);
  } else if (entry.type === '0' || entry.type === '\0') {
    await using file = await open(path, 'wx', entry.mode & 0o111 ? 0o755 : 0o644);
    for await (const piece of reader.pieces(entry.size)) await file.writeFile(piece);
    await reader.skipPadding(entry.size);
  } else throw apiErrors.ARCHIVE_DAMAGED(`${entry.path} is neither file, folder nor link`);
}

function insidePath(path: string): string {
  const plain = posix.normalize(path).replace(/\/$/, '');
  const out = plain === '..' || plain.startsWith('../') || plain.startsWith('/') || path.includes('\0');
  if (out || plain === '') throw apiErrors.ARCHIVE_DAMAGED(`${path} leads out of it`);
  return plain;
}

function parseHeader(block: Buffer, long: Readonly<Record<string, string>>): Entry {
  const text = (at: number, length: number): string =>
    block
      .subarray(at, at + length)
      .toString()
      .split('\0', 1)[0] ?? '';
  const octal = (at: number, length: number): number => Number.parseInt(text(at, length).trim() || '0', 8);
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (octal(148, 8) !== sum) throw apiErrors.ARCHIVE_DAMAGED('a checksum is wrong');
  return {
    path: long.path ?? text(0, 100),
    type: String.fromCharCode(block[156] ?? 0),
    size: long.size === undefined ? octal(124, 12) : Number(long.size),
    mode: octal(100, 8),
    target: long.linkpath ?? text(157, 100),
  };
}

function parsePax(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space).toString());
    const record = bytes.subarray(space + 1, at + length - 1).toString();
    const equals = record.indexOf('=');
    if (!Number.isSafeInteger(length) || length <= 0 || equals < 0)
      throw apiErrors.ARCHIVE_DAMAGED('a header is damaged');
    found[record.slice(0, equals)] = record.slice(equals + 1);
    at += length;
  }
  return found;
}

/** Exactly as many bytes as asked for, whatever pieces they come in. */
class BlockReader {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: Bytes) {
    this.#iterator = bytes[Symbol.asyncIterator]();
  }

  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const piece of this.pieces(size)) parts.push(piece);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#iterator.next();
        if (done) throw apiErrors.ARCHIVE_DAMAGED('it ends too early');
        this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        continue;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async skipPadding(size: number): Promise<void> {
    await this.read((blockBytes - (size % blockBytes)) % blockBytes);
  }
}
