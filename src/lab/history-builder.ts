// Builds a history from datasets and runs in any numbering: closes every run over its ancestors (a signature contains its
// lineage, so a workflow always does), renumbers by first appearance and drops what no run wants.
import type { History, HistoryOrigin, HistoryRun } from './history.ts';

export interface BuiltDataset {
  readonly label: string;
  readonly sizeBytes: number;
  readonly computeSeconds: number;
  /** Numbers that `addDataset` returned. */
  readonly parents: readonly number[];
}

export interface BuiltRun {
  readonly at?: number;
  readonly results: readonly number[];
  readonly workflow?: string | undefined;
  readonly user?: string | undefined;
}

export class HistoryBuilder {
  readonly #datasets: BuiltDataset[] = [];
  readonly #runs: BuiltRun[] = [];

  /** Sizes are rounded to whole bytes, so that sums of them are exact. */
  addDataset(dataset: BuiltDataset): number {
    const unknown = dataset.parents.find((p) => !(p >= 0 && p < this.#datasets.length));
    if (unknown !== undefined) throw new RangeError(`parent ${unknown} of ${dataset.label} is not known`);
    const parents = [...new Set(dataset.parents)];
    this.#datasets.push({ ...dataset, sizeBytes: Math.round(dataset.sizeBytes), parents });
    return this.#datasets.length - 1;
  }

  addRun(run: BuiltRun): void {
    this.#runs.push(run);
  }

  get runCount(): number {
    return this.#runs.length;
  }

  build(origin: HistoryOrigin): History {
    const number = new Int32Array(this.#datasets.length).fill(-1);
    const order: number[] = [];
    const runs: HistoryRun[] = [];
    for (const run of this.#runs) {
      const closure = this.#closure(run.results);
      const firstNew = order.length;
      for (const d of closure) if (number[d]! < 0) number[d] = order.push(d) - 1;
      runs.push({
        at: run.at ?? runs.length * 1000,
        results: Int32Array.from(new Set(run.results), (d) => number[d]!).sort(),
        members: Int32Array.from(closure, (d) => number[d]!).sort(),
        firstNew,
        ...(run.workflow === undefined ? {} : { workflow: run.workflow }),
        ...(run.user === undefined ? {} : { user: run.user }),
      });
    }
    const kept = order.map((d) => this.#datasets[d]!);
    const parents = kept.map((dataset) => dataset.parents.map((p) => number[p]!));
    const parentStart = new Uint32Array(kept.length + 1);
    for (let i = 0; i < kept.length; i += 1) parentStart[i + 1] = parentStart[i]! + parents[i]!.length;
    return {
      origin,
      labels: kept.map((dataset) => dataset.label),
      identity: Uint32Array.from(kept, (dataset) => labelHash(dataset.label)),
      sizeBytes: Float64Array.from(kept, (dataset) => dataset.sizeBytes),
      computeSeconds: Float64Array.from(kept, (dataset) => dataset.computeSeconds),
      parentStart,
      parents: Int32Array.from(parents.flat()),
      runs,
    };
  }

  /** Results and ancestors in the order in which they were added, which is parents first. */
  #closure(results: readonly number[]): number[] {
    const members = new Set<number>();
    const stack = [...results];
    while (stack.length > 0) {
      const d = stack.pop()!;
      if (members.has(d)) continue;
      members.add(d);
      stack.push(...this.#datasets[d]!.parents);
    }
    return [...members].sort((a, b) => a - b);
  }
}

/** A stable 32-bit number of a label (FNV-1a). */
export function labelHash(label: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < label.length; i += 1) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
