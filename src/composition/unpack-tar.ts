// Unpacks a tar stream into an empty folder. An archive is input, whoever sent it: names that lead out of the folder are refused, nothing
// is ever written through a link (links are made last), and a link must stay in the folder however it is followed.
import { mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { apiErrors } from '../api/error-codes.ts';
import type { Bytes } from '../api/route.ts';
import { resolveLink } from '../storage/local/resolve-link.ts';

const blockBytes = 512;
const longestHeader = 1 << 20;

export interface UnpackOptions {
  /** Where a link that leads out of the folder is made to lead; undefined refuses it, as without this option. */
  readonly outside?: ((target: string) => string | undefined) | undefined;
}

interface Entry {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  readonly target: string;
}

interface Link {
  readonly path: string;
  readonly kind: 'symlink';
  readonly target: string;
}

export async function unpackTarInto(
  folder: string,
  bytes: Bytes,
  options: UnpackOptions = {},
): Promise<void> {
  const reader = new BlockReader(bytes);
  const links = new Map<string, Link>();
  let long: Record<string, string> = {};
  for (;;) {
    const header = await reader.read(blockBytes);
    if (header.every((byte) => byte === 0)) break;
    const entry = parseHeader(header, long);
    const parse = aboutNext[entry.type];
    if (parse !== undefined) {
      if (entry.size > longestHeader) throw apiErrors.ARCHIVE_DAMAGED('a header is too long');
      long = { ...long, ...parse(await reader.read(entry.size)) };
      await reader.skipPadding(entry.size);
      continue;
    }
    long = {};
    await writeEntry(entry, reader, folder, links);
  }
  for (const link of links.values()) await makeLink(link, folder, links, options);
}

/** Entries that are no members but say something about the next one, and what they say. */
const aboutNext: Readonly<Record<string, (bytes: Buffer) => Record<string, string>>> = {
  x: parsePax,
  // About all members, such as the comment in archives that git makes: nothing that counts here.
  g: () => ({}),
  // Names that are too long for a header, as GNU tar writes them.
  L: (bytes) => ({ path: untilNull(bytes) }),
  K: (bytes) => ({ linkpath: untilNull(bytes) }),
};

async function writeEntry(
  entry: Entry,
  reader: BlockReader,
  folder: string,
  links: Map<string, Link>,
): Promise<void> {
  // The folder itself, which `tar -c .` begins with, is there.
  if (entry.type === '5' && /^\.\/?$/.test(entry.path)) return;
  const inside = insidePath(entry.path);
  const path = join(folder, inside);
  if (links.has(inside)) throw apiErrors.ARCHIVE_DAMAGED(`${entry.path} is there twice`);
  if (entry.type === '2') {
    links.set(inside, { path: inside, kind: 'symlink', target: entry.target });
    return;
  }
  try {
    await mkdir(entry.type === '5' ? path : dirname(path), { recursive: true });
    if (entry.type === '5') return;
    if (entry.type !== '0' && entry.type !== '\0')
      throw apiErrors.ARCHIVE_DAMAGED(`${entry.path} is neither file, folder nor link`);
    await using file = await open(path, 'wx', entry.mode & 0o111 ? 0o755 : 0o644);
    for await (const piece of reader.pieces(entry.size)) await file.writeFile(piece);
  } catch (error) {
    throw twiceIfThere(error, entry.path);
  }
  await reader.skipPadding(entry.size);
}

async function makeLink(
  link: Link,
  folder: string,
  links: ReadonlyMap<string, Link>,
  { outside }: UnpackOptions,
): Promise<void> {
  const stays = resolveLink(links, link, []) === 'inside';
  const target = stays ? link.target : outside?.(link.target);
  if (target === undefined || target === '' || target.includes('\0'))
    throw apiErrors.ARCHIVE_DAMAGED(`${link.path} leads to ${link.target}`);
  const path = join(folder, link.path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  } catch (error) {
    throw twiceIfThere(error, link.path);
  }
}

/** What is there already, or has a file or link above it, was named twice. */
function twiceIfThere(error: unknown, path: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ELOOP'].includes(code)
    ? apiErrors.ARCHIVE_DAMAGED(`${path} is there twice`)
    : error;
}

function insidePath(path: string): string {
  const plain = posix.normalize(path).replace(/\/$/, '');
  const out = plain === '..' || plain.startsWith('../') || plain.startsWith('/') || path.includes('\0');
  if (out || plain === '' || plain === '.') throw apiErrors.ARCHIVE_DAMAGED(`${path} leads out of it`);
  return plain;
}

function parseHeader(block: Buffer, long: Readonly<Record<string, string>>): Entry {
  const text = (at: number, length: number): string => untilNull(block.subarray(at, at + length));
  const octal = (at: number, length: number): number => Number.parseInt(text(at, length).trim() || '0', 8);
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (octal(148, 8) !== sum) throw apiErrors.ARCHIVE_DAMAGED('a checksum is wrong');
  const size = long.size === undefined ? octal(124, 12) : Number(long.size);
  if (!Number.isSafeInteger(size) || size < 0) throw apiErrors.ARCHIVE_DAMAGED('a size is wrong');
  const prefix = text(345, 155);
  return {
    path: long.path ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`),
    type: String.fromCharCode(block[156] ?? 0),
    size,
    mode: octal(100, 8),
    target: long.linkpath ?? text(157, 100),
  };
}

const untilNull = (bytes: Buffer): string => bytes.toString().split('\0', 1)[0] ?? '';

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
