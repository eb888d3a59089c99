// One task of a simulation: one history against all algorithms and budgets.
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { bareRecompute, boundHistory } from './bounds/bound.ts';
import { KeepNetworks } from './bounds/keep-networks.ts';
import { loadHistory, sourceName } from './history-source.ts';
import { traceKept } from './kept-trace.ts';
import { type ReplayResult, replay } from './replay.ts';
import { planReplay, type ReplayPlan } from './replay-plan.ts';
import type { Budget, Cell, CellResult, ReplayRow, SimulationTask, TaskResult } from './simulate.ts';

/** Replays the task's history; `algorithms` are those that it names, loaded. */
export function simulateHistory(task: SimulationTask, algorithms: readonly DecisionAlgorithm[]): TaskResult {
  const history = loadHistory(task.source);
  const plan = planReplay(history);
  const bareSeconds = plan.unlimitedSeconds + bareRecompute(plan);
  const networks = task.bounds ? new KeepNetworks(plan) : undefined;
  const optionsOf = (budgetBytes: number, i: number) => ({
    budgetBytes,
    lowMark: task.lowMark,
    window: task.window,
    settings: task.algorithms[i]!.settings,
  });
  const cells = task.budgets.map((budget): CellResult => {
    const budgetBytes = bytesOf(plan, budget);
    const results = algorithms.map((algorithm, i) => replay(plan, algorithm, optionsOf(budgetBytes, i)));
    const bounds = networks
      ? boundHistory(plan, {
          budgetBytes,
          networks,
          steps: task.boundSteps,
          achievedSeconds: results.map(({ totalSeconds }) => totalSeconds),
        })
      : undefined;
    const cell: Cell = {
      history: sourceName(task.source),
      family: history.origin.family,
      seed: history.origin.seed,
      budget,
      budgetBytes,
      runs: history.runs.length,
      datasets: history.sizeBytes.length,
      footprintBytes: plan.footprintBytes,
      unlimitedSeconds: plan.unlimitedSeconds,
      bareSeconds,
      lowerSeconds: bounds?.lowerSeconds,
      upperSeconds: bounds?.upperSeconds,
      optimalSeconds: bounds?.optimalSeconds,
    };
    return { cell, rows: results.map((result, i) => rowOf(task.algorithms[i]!.name, result, cell)) };
  });
  const { traceBudget } = task;
  const traces = traceBudget
    ? algorithms.map((algorithm, i) =>
        traceKept(plan, algorithm, task.algorithms[i]!.name, optionsOf(bytesOf(plan, traceBudget), i)),
      )
    : [];
  return { origin: history.origin, cells, traces };
}

function bytesOf(plan: ReplayPlan, budget: Budget): number {
  return 'share' in budget ? Math.floor(budget.share * plan.footprintBytes) : budget.bytes;
}

function rowOf(algorithm: string, result: ReplayResult, cell: Cell): ReplayRow {
  const avoidable = cell.bareSeconds - cell.unlimitedSeconds;
  return {
    ...result,
    algorithm,
    regret: avoidable === 0 ? 0 : result.recomputeSeconds / avoidable,
    idealOverActual: (cell.upperSeconds ?? cell.unlimitedSeconds) / result.totalSeconds,
    unlimitedOverActual: cell.unlimitedSeconds / result.totalSeconds,
  };
}
