// Progress of counted work as one line that is redrawn in place; nothing where there is no terminal.
import type { Style } from './style.ts';

export interface CountProgress {
  update(done: number, total: number): void;
  /** Takes the line away. */
  stop(): void;
}

const barWidth = 28;

/** Draws on `stream` if it is a terminal and `wanted`. */
export function countProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  style: Style,
  what: string,
  wanted = true,
): CountProgress {
  if (!stream.isTTY || !wanted) return { update: () => {}, stop: () => {} };
  const started = performance.now();
  return {
    update(done, total) {
      const filled = Math.round((barWidth * done) / Math.max(1, total));
      const bar = style.green('#'.repeat(filled)) + style.dim('-'.repeat(barWidth - filled));
      const left = ((performance.now() - started) / 1000 / Math.max(1, done)) * (total - done);
      stream.write(`\r\u001b[K${bar} ${done} of ${total} ${what}, about ${Math.ceil(left)} s left`);
    },
    stop: () => {
      stream.write('\r\u001b[K');
    },
  };
}
