// What an attempt wrote: whole, a part, or as it grows until the attempt has ended.
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Download } from '../api/route.ts';
import type { AttemptRow } from '../core/rows.ts';
import { byteRange } from './byte-range.ts';
import { type Caller, view } from './caller.ts';
import { pieces } from './file-pieces.ts';

export interface LogRequest {
  readonly stream: 'stdout' | 'stderr';
  readonly follow: boolean;
  readonly offset?: number | undefined;
  readonly range?: string | undefined;
}

const contentType = 'text/plain; charset=utf-8';
/** The longest time between two looks at a log whose file system tells nothing. */
const lookMs = 1000;

export async function readLog(caller: Caller, attempt: AttemptRow, request: LogRequest): Promise<Download> {
  const path = join(caller.site.varve.storage.attemptSpace(attempt.key).logs, request.stream);
  const size = await sizeOf(path);
  const from = request.offset ?? 0;
  if (request.follow) return { contentType, body: followed(caller, attempt, path, from) };
  const part = request.offset === undefined ? byteRange(request.range, size) : undefined;
  const first = part?.first ?? Math.min(from, size);
  const last = part?.last ?? size - 1;
  return {
    contentType,
    body: pieces(path, first, last + 1),
    sizeBytes: last - first + 1,
    ...(part ? { part: { ...part, of: size } } : {}),
  };
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    // A log that nobody wrote to, or that was cleaned away, is empty.
    () => 0,
  );
}

async function* followed(
  caller: Caller,
  attempt: AttemptRow,
  path: string,
  from: number,
): AsyncGenerator<Uint8Array> {
  let offset = from;
  for (;;) {
    const changed = nextChange(caller, path);
    try {
      const [row] = await view(caller).attemptsByKey([attempt.key]);
      const size = await sizeOf(path);
      for await (const piece of pieces(path, offset, size)) {
        offset += piece.length;
        yield piece;
      }
      if (!row || row.endedAt !== null || caller.signal?.aborted) return;
      await changed.heard;
    } finally {
      changed.stop();
    }
  }
}

/** Resolves when the file grew or anything changed state, and at the latest after a second. */
function nextChange(caller: Caller, path: string): { readonly heard: Promise<void>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  const unlisten = caller.site.varve.store.listen((topic) => {
    if (topic === 'journal' || topic === '*') resolve();
  });
  sleep(lookMs, undefined, { signal: ended.signal, ref: false }).then(resolve, () => {});
  caller.signal?.addEventListener('abort', () => resolve(), { once: true, signal: ended.signal });
  try {
    const watcher = watch(path, { persistent: false, signal: ended.signal }, () => resolve());
    watcher.on('error', () => {});
  } catch {
    // The file is not there yet.
  }
  return {
    heard: promise,
    stop() {
      unlisten();
      ended.abort();
    },
  };
}
