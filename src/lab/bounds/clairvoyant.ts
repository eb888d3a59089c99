// Policies that know the future. They are no contenders: what they achieve is an upper bound on the optimum. Expected demand
// is replaced by the distance of the next one; a schedule of kept intervals, if given, goes before everything else.
import { giveUpByMarginalCost } from '../../core/eviction/marginal-greedy.ts';
import type { DecisionAlgorithm } from '../../core/ports/decision-algorithm.ts';
import type { ReplayPlan } from '../replay-plan.ts';
import type { KeptInterval } from './keep-networks.ts';

/** How much more a dataset counts while the schedule wants it kept. */
const preference = 1e6;

export function clairvoyant(plan: ReplayPlan, schedule: readonly KeptInterval[] = []): DecisionAlgorithm {
  const demandRuns: number[][] = Array.from({ length: plan.history.sizeBytes.length }, () => []);
  plan.demands.forEach((demanded, run) => {
    for (const d of demanded) demandRuns[d]!.push(run);
  });
  const intervals: KeptInterval[][] = Array.from({ length: plan.history.runs.length }, () => []);
  for (const interval of schedule) {
    for (let run = interval.from; run < interval.until; run += 1) intervals[run]!.push(interval);
  }
  return {
    name: schedule.length > 0 ? 'follow-schedule' : 'clairvoyant',
    reason: 'is needed last',
    decide(facts) {
      let run = -1;
      for (let i = facts.history.count - 1; i >= 0 && run < 0; i -= 1) {
        const event = facts.history.event(i);
        if (event.kind === 'run') run = event.number;
      }
      const rate = new Float64Array(facts.known.count);
      for (let d = 0; d < rate.length; d += 1) {
        const next = demandRuns[d]!.find((demand) => demand > run);
        if (next !== undefined) rate[d] = 1 / (next - run);
      }
      for (const { dataset, until } of intervals[run]!) rate[dataset] = preference / (until - run);
      return giveUpByMarginalCost(facts, rate);
    },
  };
}
