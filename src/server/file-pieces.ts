// A part of a file, piece by piece.
import { open } from 'node:fs/promises';
import type { Bytes } from '../api/route.ts';

const pieceBytes = 1 << 18;

/** Opened when the first byte is wanted: a request of headers alone, or one that broke off, leaves nothing open. */
export async function* pieces(path: string, from: number, end: number): Bytes {
  if (from >= end) return;
  await using file = await open(path);
  for (let offset = from; offset < end; ) {
    const buffer = Buffer.alloc(Math.min(pieceBytes, end - offset));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    offset += bytesRead;
  }
}
