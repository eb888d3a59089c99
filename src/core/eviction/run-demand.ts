// Which earlier datasets a run demands. This does not depend on what happens to be stored, so algorithms that learn from
// it learn the users' behaviour and not the effect of earlier deletions.
import type { KnownDatasets } from '../ports/decision-algorithm.ts';

export interface SubmittedRun {
  /** All datasets of the workflow, parents before children. */
  readonly members: ArrayLike<number>;
  readonly results: ArrayLike<number>;
  /** Members that are computed whatever is stored. */
  readonly forced?: ArrayLike<number> | undefined;
}

/** Members numbered below `firstNew` that are results or feed a never-seen or forced member, ascending. */
export function demandOf(known: KnownDatasets, run: SubmittedRun, firstNew: number): Int32Array {
  const demanded = new Set<number>();
  const wantParents = (d: number) => {
    for (let i = known.parentStart[d]!; i < known.parentStart[d + 1]!; i += 1) {
      const parent = known.parents[i]!;
      if (parent < firstNew) demanded.add(parent);
    }
  };
  for (let i = 0; i < run.members.length; i += 1) {
    if (run.members[i]! >= firstNew) wantParents(run.members[i]!);
  }
  const forced = run.forced ?? [];
  for (let i = 0; i < forced.length; i += 1) wantParents(forced[i]!);
  for (let i = 0; i < run.results.length; i += 1) {
    if (run.results[i]! < firstNew) demanded.add(run.results[i]!);
  }
  for (let i = 0; i < forced.length; i += 1) demanded.delete(forced[i]!);
  return Int32Array.from(demanded).sort();
}
