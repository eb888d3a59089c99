// What another budget would have cost: one history, asked again and again with other budgets, quickly enough to follow a slider.
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { bareRecompute } from './bounds/bound.ts';
import type { History } from './history.ts';
import { replay } from './replay.ts';
import { planReplay, type ReplayPlan } from './replay-plan.ts';

export interface WhatIfQuestion {
  readonly budgetBytes: number;
  /** Once over budget, free down to this share of it. */
  readonly lowShare: number;
}

export interface WhatIfAnswer {
  readonly budgetBytes: number;
  readonly algorithm: string;
  readonly runs: number;
  readonly datasets: number;
  /** What an unlimited store would hold besides results. */
  readonly footprintBytes: number;
  /** Compute time with an unlimited store, with this budget, and with nothing kept but results. */
  readonly unlimitedSeconds: number;
  readonly computeSeconds: number;
  readonly bareSeconds: number;
  readonly decisions: number;
  readonly givenUp: number;
  /** False when decisions were bundled to answer in time: the true compute time is a little less. */
  readonly exact: boolean;
}

/** As many decisions fit into a second as there are datasets in this; with few datasets more would change nothing. */
const datasetsASecond = 4_000_000;
const mostDecisions = 150;
const fewestDecisions = 30;
/** Bundled decisions never free more than down to this share of the budget. */
const lowestShare = 0.5;

export class WhatIf {
  readonly #plan: ReplayPlan;
  readonly #bareSeconds: number;

  constructor(history: History) {
    this.#plan = planReplay(history);
    this.#bareSeconds = this.#plan.unlimitedSeconds + bareRecompute(this.#plan);
  }

  ask({ budgetBytes, lowShare }: WhatIfQuestion, algorithm: DecisionAlgorithm): WhatIfAnswer {
    const { history, footprintBytes, unlimitedSeconds } = this.#plan;
    const affordable = datasetsASecond / Math.max(1, history.sizeBytes.length);
    const decisions = Math.min(mostDecisions, Math.max(fewestDecisions, affordable));
    const bundled = 1 - footprintBytes / (decisions * Math.max(1, budgetBytes));
    const lowMark = Math.min(lowShare, Math.max(lowestShare, bundled));
    const result = replay(this.#plan, algorithm, { budgetBytes, lowMark });
    return {
      budgetBytes,
      algorithm: algorithm.name,
      runs: history.runs.length,
      datasets: history.sizeBytes.length,
      footprintBytes,
      unlimitedSeconds,
      computeSeconds: result.totalSeconds,
      bareSeconds: this.#bareSeconds,
      decisions: result.decisions,
      givenUp: result.givenUp,
      exact: lowMark === lowShare,
    };
  }
}
