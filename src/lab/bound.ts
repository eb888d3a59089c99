// The ideal execution time of histories: what `varve lab bound` prints.
import { bareRecompute, boundHistory, type HistoryBounds } from './bounds/bound.ts';
import { KeepNetworks } from './bounds/keep-networks.ts';
import { type HistorySource, loadHistory, sourceName } from './history-source.ts';
import { planReplay } from './replay-plan.ts';
import { type Budget, budgetName } from './simulate.ts';

export interface BoundRequest {
  readonly source: HistorySource;
  readonly budgets: readonly Budget[];
  readonly steps?: number | undefined;
}

export interface BoundReport {
  readonly history: string;
  readonly runs: number;
  readonly datasets: number;
  readonly footprintBytes: number;
  readonly unlimitedSeconds: number;
  readonly bareSeconds: number;
  readonly budgets: readonly (HistoryBounds & { readonly name: string })[];
}

/** Bounds of one history under each budget. */
export function bound(request: BoundRequest): BoundReport {
  const history = loadHistory(request.source);
  const plan = planReplay(history);
  const networks = new KeepNetworks(plan);
  return {
    history: sourceName(request.source),
    runs: history.runs.length,
    datasets: history.sizeBytes.length,
    footprintBytes: plan.footprintBytes,
    unlimitedSeconds: plan.unlimitedSeconds,
    bareSeconds: plan.unlimitedSeconds + bareRecompute(plan),
    budgets: request.budgets.map((budget) => {
      const budgetBytes = 'share' in budget ? Math.floor(budget.share * plan.footprintBytes) : budget.bytes;
      return {
        name: budgetName(budget),
        ...boundHistory(plan, { budgetBytes, networks, steps: request.steps }),
      };
    }),
  };
}
