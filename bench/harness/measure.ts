// Runs a program to its end and says how long it took and how large it became; medians and spread of several.
import { spawnSync } from 'node:child_process';

export interface Timing {
  readonly seconds: number;
  /** The largest process of those that it started and waited for. */
  readonly peakMegabytes: number;
}

export interface Sample {
  readonly seconds: readonly number[];
  readonly peakMegabytes: number;
}

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A run that goes on for longer than this is ended and counts as failed. */
export const limitMs = 240_000;

/** Runs a command under GNU time; throws with its last words when it does not succeed. */
export function timed({ argv, cwd, env }: Command): Timing {
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync('/usr/bin/time', ['-f', 'peak %M', ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: limitMs,
  });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`${argv.join(' ')}: ${status} ${(stdout + stderr).slice(-1500)}`);
  return { seconds, peakMegabytes: Number(/peak (\d+)\s*$/.exec(stderr)?.[1] ?? 0) / 1024 };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
