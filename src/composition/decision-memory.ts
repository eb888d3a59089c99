// What decisions remember, as a file in the cache of a home. It is written beside and renamed, and carries a checksum: a crash leaves the
// old one or the new one, and a damaged one counts as none.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { DecisionMemory } from '../core/ports/decision-memory.ts';

/** Keeps the columns behind it where numbers of eight bytes may lie. */
const checkBytes = 8;

export function createDecisionMemory(path: string): DecisionMemory {
  return {
    async load() {
      const file = await readFile(path).catch(() => undefined);
      if (!file || file.length < checkBytes) return undefined;
      const content = new Uint8Array(file.buffer, file.byteOffset + checkBytes, file.length - checkBytes);
      return file.readUInt32LE(0) === crc32(content) ? content : undefined;
    },
    async save(parts) {
      await mkdir(dirname(path), { recursive: true });
      const beside = `${path}.${randomUUID()}`;
      const check = Buffer.alloc(checkBytes);
      check.writeUInt32LE(parts.reduce((sum, part) => crc32(part, sum), 0));
      try {
        const file = await open(beside, 'w');
        try {
          for (const part of [check, ...parts]) await file.writeFile(part);
        } finally {
          await file.close();
        }
        await rename(beside, path);
      } catch (error) {
        await rm(beside, { force: true });
        throw error;
      }
    },
  };
}
