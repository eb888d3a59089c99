// How much time the measurements may take: rounds of a point, and what is not begun because it would take too long.
import type { Engine, Scenario, Shape } from './engine.ts';
import { median } from './measure.ts';
import type { Point } from './results.ts';

export interface Effort {
  /** The most runs of one engine in one state. */
  readonly rounds: number;
  /** An engine that ran for this long in one state gets no further round: what takes long varies little. */
  readonly pointSeconds: number;
  /** When to stop, as `performance.now()`; what has begun gets its first round. */
  readonly deadlineMs: number;
  /** Why an engine is not measured, if it is not. */
  reasonAgainst(engine: Engine, shape: Shape, scenario: Scenario, size: number): string | undefined;
}

export const effortLeft = ({ deadlineMs }: Effort): boolean => performance.now() < deadlineMs;

/** Seconds that a run will take at most, from the largest smaller size that was measured; undefined where there is none. */
export function expectedSeconds(
  points: readonly Point[],
  engine: string,
  shape: Shape,
  scenario: Scenario,
  size: number,
): number | undefined {
  const smaller = points
    .filter((point) => point.engine === engine && point.workload === shape && point.scenario === scenario)
    .filter((point) => point.size < size && point.seconds.length > 0)
    .sort((a, b) => b.size - a.size);
  const [nearest, before] = smaller;
  if (!nearest) return undefined;
  const seconds = median(nearest.seconds);
  const perTask = before
    ? Math.max(0, seconds - median(before.seconds)) / (nearest.size - before.size)
    : seconds / nearest.size;
  return seconds + perTask * (size - nearest.size);
}
