// Where log lines go: standard output, many in one call. A call costs more than the line, and a busy server writes thousands a second.
import { writeSync } from 'node:fs';

const longestWaitMs = 100;
const most = 1 << 16;
/** What a reader that has stopped reading may hold up; more is dropped. */
const mostHeldUp = 1 << 24;
const standardOutput = 1;

export interface BufferedLog {
  write(line: string): void;
  /** Passes on what is left. */
  close(): void;
}

/** Passes lines on within a tenth of a second, warnings and errors at once, and what is left when the process ends. */
export function bufferedLog(descriptor = standardOutput): BufferedLog {
  let waiting = '';
  /** What a full pipe did not take. */
  let rest: Uint8Array = new Uint8Array();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    let bytes: Uint8Array = Buffer.concat([rest, Buffer.from(waiting)]);
    waiting = '';
    rest = new Uint8Array();
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      // A full pipe is tried again; one that nobody reads any more is no reason to stop serving.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || bytes.length > mostHeldUp) return;
      rest = bytes;
      flushSoon();
    }
  }

  function flushSoon(): void {
    timer ??= setTimeout(flush, longestWaitMs).unref();
  }

  process.on('exit', flush);
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= most || isUrgent(line)) flush();
      else flushSoon();
    },
    close() {
      process.off('exit', flush);
      flush();
    },
  };
}

/** Levels stand at the beginning of a line; 40 is a warning. */
function isUrgent(line: string): boolean {
  return Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 50) >= 40;
}
