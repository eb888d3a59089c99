// A tree of files as a POSIX tar stream, piece by piece; long names and sizes go into pax headers.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bytes } from '../api/route.ts';
import type { ArchiveEntry } from '../composition/list-tree.ts';

const blockBytes = 512;
const pieceBytes = 1 << 18;
const types = { file: '0', symlink: '2', directory: '5', pax: 'x' } as const;
const largestOctal = 8 ** 11 - 1;

/** The archive of what lies below `folder`: `entries` as recorded or listed. */
export async function* tarOf(
  folder: string,
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
): Bytes {
  for await (const entry of entries) {
    yield* headerOf(entry);
    if (entry.kind === 'file') yield* contents(join(folder, entry.path), entry.sizeBytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

async function* contents(path: string, sizeBytes: number): Bytes {
  await using file = await open(path);
  let left = sizeBytes;
  while (left > 0) {
    const buffer = Buffer.alloc(Math.min(pieceBytes, left));
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) throw new Error(`${path} is shorter than recorded`);
    yield buffer.subarray(0, bytesRead);
    left -= bytesRead;
  }
  const rest = sizeBytes % blockBytes;
  if (rest > 0) yield Buffer.alloc(blockBytes - rest);
}

function* headerOf(entry: ArchiveEntry): Generator<Uint8Array> {
  const size = entry.kind === 'file' ? entry.sizeBytes : 0;
  const path = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'symlink' ? entry.target : '';
  const long: Record<string, string> = {};
  if (Buffer.byteLength(path) > 100) long.path = path;
  if (Buffer.byteLength(target) > 100) long.linkpath = target;
  if (size > largestOctal) long.size = String(size);
  if (Object.keys(long).length > 0) {
    const records = Buffer.concat(Object.entries(long).map(([key, value]) => paxRecord(key, value)));
    yield block({ path: 'pax', type: types.pax, size: records.length, mode: 0o644, target: '' });
    yield Buffer.concat([records, Buffer.alloc((blockBytes - (records.length % blockBytes)) % blockBytes)]);
  }
  const mode = entry.kind === 'directory' || (entry.kind === 'file' && entry.executable) ? 0o755 : 0o644;
  yield block({ path, type: types[entry.kind], size: Math.min(size, largestOctal), mode, target });
}

/** `length key=value\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

interface Header {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  readonly target: string;
}

function block({ path, type, size, mode, target }: Header): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  };
  Buffer.from(path).copy(header, 0, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write('        ', 148);
  header.write(type, 156);
  Buffer.from(target).copy(header, 157, 0, 100);
  header.write('ustar\0' + '00', 257);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return header;
}
