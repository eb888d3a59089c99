// Progress and tables on the terminal.
import { median } from './measure.ts';
import type { Point } from './results.ts';

/** Shows what is being measured, on one line that the next one overwrites; only where somebody looks. */
export function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

export const clock = (seconds: number): string =>
  seconds < 1 ? `${(seconds * 1000).toFixed(0)} ms` : `${seconds.toFixed(seconds < 100 ? 2 : 0)} s`;

/** `3.2 ×` of the reference engine, from medians. */
export function ratioOf(point: Point, reference: Point | undefined): number | undefined {
  if (!reference || reference.seconds.length === 0 || point.seconds.length === 0) return undefined;
  return median(point.seconds) / median(reference.seconds);
}

/** Prints the engines of one workload, state and size below each other. */
export function printPoints(points: readonly Point[], reference = 'Varve'): void {
  const first = points[0];
  if (!first) return;
  console.log(`\n${first.workload}, ${first.size.toLocaleString('en')}, ${first.scenario}`);
  const ours = points.find(({ engine }) => engine === reference);
  for (const point of points) {
    if (point.seconds.length === 0) {
      if (point.missing !== 'it has no such thing')
        console.log(`  ${point.engine.padEnd(14)} ${point.missing}`);
      continue;
    }
    const ratio = ratioOf(point, ours);
    const spread = `${clock(Math.min(...point.seconds))} – ${clock(Math.max(...point.seconds))}`;
    console.log(
      [
        `  ${point.engine.padEnd(14)}`,
        clock(median(point.seconds)).padStart(9),
        spread.padStart(22),
        ratio === undefined || point === ours ? ''.padStart(10) : `${ratio.toFixed(2)} ×`.padStart(10),
        `${point.peakMegabytes} MB`.padStart(9),
        ...Object.entries(point.more ?? {}).map(([name, value]) => `  ${name} ${value.toLocaleString('en')}`),
      ].join(' '),
    );
  }
}
