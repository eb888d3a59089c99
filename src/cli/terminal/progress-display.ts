// Shows progress while a run goes on: a live block at the bottom of a terminal, or a line now and then where there is none. The
// block is redrawn at most ten times a second, follows the size of the window, and leaves nothing behind.

import type { ProgressState } from './progress-state.ts';
import { progressLine, type RenderOptions, renderProgress } from './render-progress.ts';
import { textWidth } from './wrap-text.ts';

export interface ProgressDisplay {
  /** Takes note of new facts; drawing follows in its own time. */
  update(state: ProgressState): void;
  /** Writes a line of its own above the display. */
  log(line: string): void;
  /** Takes the display away; `last` is drawn once more and stays. */
  stop(last?: ProgressState): void;
}

/** The part of a terminal or pipe that the display uses. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows' | 'write' | 'on' | 'off'>;

export type ProgressOptions = Pick<RenderOptions, 'style' | 'unicode'> & {
  /** Milliseconds between two lines where there is no terminal. */
  readonly plainIntervalMs?: number;
};

const redrawMs = 100;
const clockMs = 1000;
// Some terminals, such as those of serial lines, give their size as 0.
const unknownColumns = 80;
const unknownRows = 24;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearBelow = '\u001b[J';

/** The display that suits the stream. */
export function startProgress(stream: ProgressStream, options: ProgressOptions): ProgressDisplay {
  return stream.isTTY ? liveDisplay(stream, options) : plainDisplay(stream, options);
}

function liveDisplay(stream: ProgressStream, options: ProgressOptions): ProgressDisplay {
  let state: ProgressState | undefined;
  let receivedAt = 0;
  let drawn: readonly string[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** Moves to the first line of the block; lines that a narrower window has wrapped count as several. */
  const erase = (): string => {
    const columns = stream.columns || unknownColumns;
    const height = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    return height === 0 ? '' : `\r\u001b[${height}A${clearBelow}`;
  };
  const lines = (facts: ProgressState): string[] => {
    // The last column stays free: writing into it makes some terminals wrap.
    const columns = Math.max(1, (stream.columns || unknownColumns) - 1);
    return renderProgress(facts, {
      ...options,
      columns,
      rows: Math.max(1, (stream.rows || unknownRows) - 1),
    });
  };
  const draw = (): void => {
    if (state === undefined) return;
    drawnAt = performance.now();
    const facts = { ...state, now: state.now + (drawnAt - receivedAt) };
    const next = lines(facts);
    stream.write(`${erase()}${hideCursor}${next.join('\n')}\n`);
    drawn = next;
    schedule(clockMs);
  };
  const schedule = (delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(draw, delayMs);
    timer.unref();
  };
  const soon = (): void => schedule(Math.max(0, drawnAt + redrawMs - performance.now()));
  const restoreCursor = (): void => void stream.write(showCursor);
  stream.on('resize', soon);
  process.once('exit', restoreCursor);

  return {
    update: (next) => {
      const isFirst = state === undefined;
      state = next;
      receivedAt = performance.now();
      if (isFirst) draw();
      else soon();
    },
    log: (line) => {
      stream.write(`${erase()}${line}\n`);
      drawn = [];
      if (state !== undefined) draw();
    },
    stop: (last) => {
      clearTimeout(timer);
      stream.off('resize', soon);
      process.off('exit', restoreCursor);
      const rest = last === undefined ? '' : `${lines(last).join('\n')}\n`;
      stream.write(`${erase()}${rest}${showCursor}`);
      drawn = [];
      state = undefined;
    },
  };
}

function plainDisplay(stream: ProgressStream, options: ProgressOptions): ProgressDisplay {
  const intervalMs = options.plainIntervalMs ?? 10_000;
  let writtenAt = performance.now();
  const write = (state: ProgressState): void => {
    writtenAt = performance.now();
    stream.write(`${progressLine(state)}\n`);
  };
  return {
    update: (state) => {
      if (performance.now() - writtenAt >= intervalMs) write(state);
    },
    log: (line) => void stream.write(`${line}\n`),
    stop: (last) => {
      if (last !== undefined) write(last);
    },
  };
}
