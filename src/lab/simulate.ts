// Replays histories against algorithms and budgets on all cores, with bounds, and gathers one row per replay.

import { moduleUrl } from '../assets.ts';
import type { JsonObject } from '../core/json.ts';
import { formatBytes } from '../core/units.ts';
import type { HistoryOrigin } from './history.ts';
import type { HistorySource } from './history-source.ts';
import type { KeptTrace } from './kept-trace.ts';
import type { ReplayResult } from './replay.ts';
import { type PoolOptions, runOnThreads } from './worker-pool.ts';

/** An algorithm that a worker thread can load: a module whose default export is one. */
export interface AlgorithmSource {
  readonly name: string;
  /** URL of the module. */
  readonly module: string;
  readonly settings?: JsonObject | undefined;
}

export interface SimulateOptions extends PoolOptions {
  readonly sources: readonly HistorySource[];
  readonly algorithms: readonly AlgorithmSource[];
  /** Budgets as shares of what an unlimited store would hold, or in bytes. */
  readonly budgets: readonly Budget[];
  /** Lower and upper bounds for each history and budget. */
  readonly bounds?: boolean | undefined;
  /** Steps of improving the lower bound. */
  readonly boundSteps?: number | undefined;
  readonly lowMark?: number | undefined;
  readonly window?: number | undefined;
  /** Budget at which the first history of each family is traced: what was kept over time. */
  readonly traceBudget?: Budget | undefined;
}

export type Budget = { readonly share: number } | { readonly bytes: number };

export interface SimulationTask {
  readonly source: HistorySource;
  readonly algorithms: readonly AlgorithmSource[];
  readonly budgets: readonly Budget[];
  readonly bounds: boolean;
  readonly boundSteps: number | undefined;
  readonly lowMark: number | undefined;
  readonly window: number | undefined;
  readonly traceBudget: Budget | undefined;
}

/** One history under one budget: what every algorithm is measured against. */
export interface Cell {
  readonly history: string;
  readonly family: string;
  readonly seed: number | undefined;
  readonly budget: Budget;
  readonly budgetBytes: number;
  readonly runs: number;
  readonly datasets: number;
  readonly footprintBytes: number;
  readonly unlimitedSeconds: number;
  readonly bareSeconds: number;
  readonly lowerSeconds: number | undefined;
  readonly upperSeconds: number | undefined;
  readonly optimalSeconds: number | undefined;
}

export interface ReplayRow extends ReplayResult {
  readonly algorithm: string;
  /** Share of avoidable recomputation that was not avoided: 0 with an unlimited store, 1 with none. */
  readonly regret: number;
  /** Time of the best known schedule, or of an unlimited store where bounds were not asked for, over the time taken. */
  readonly idealOverActual: number;
  readonly unlimitedOverActual: number;
}

export interface CellResult {
  readonly cell: Cell;
  readonly rows: readonly ReplayRow[];
}

export interface TaskResult {
  readonly origin: HistoryOrigin;
  readonly cells: readonly CellResult[];
  readonly traces: readonly KeptTrace[];
}

export interface SimulationResults {
  readonly algorithms: readonly string[];
  readonly budgets: readonly Budget[];
  readonly cells: readonly CellResult[];
  readonly traces: readonly KeptTrace[];
}

/** Replays everything; rows come in the order of sources, budgets and algorithms, whatever the threads do. */
export async function simulate(options: SimulateOptions): Promise<SimulationResults> {
  const traced = new Set<string>();
  const tasks: SimulationTask[] = options.sources.map((source) => {
    const family = source.kind === 'family' ? source.family : source.path;
    const first = !traced.has(family);
    traced.add(family);
    return {
      source,
      algorithms: options.algorithms,
      budgets: options.budgets,
      bounds: options.bounds ?? true,
      boundSteps: options.boundSteps,
      lowMark: options.lowMark,
      window: options.window,
      traceBudget: first ? options.traceBudget : undefined,
    };
  });
  const module = moduleUrl('lab/simulate-worker');
  const results = await runOnThreads<SimulationTask, TaskResult>(module, tasks, options);
  return {
    algorithms: options.algorithms.map(({ name }) => name),
    budgets: options.budgets,
    cells: results.flatMap(({ cells }) => cells),
    traces: results.flatMap(({ traces }) => traces),
  };
}

/** How a budget is called in tables. */
export function budgetName(budget: Budget): string {
  if ('share' in budget) return `${Number((budget.share * 100).toPrecision(4))} %`;
  return formatBytes(budget.bytes);
}
