// The default (hazard and marginal recompute): what is expected to save the least compute time per byte goes first. How
// likely a demand is comes from the history of demands; what a demand would cost follows from the graph and from what
// else is there, and is looked up again as relatives go.
import { giveUpByMarginalCost } from '../core/eviction/marginal-greedy.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { demandRates, emptyHazard, type HazardState, observeRun } from './demand-hazard.ts';

export const hamr: DecisionAlgorithm<HazardState> = {
  name: 'hamr',
  reason: 'is expected to save the least compute time per byte',
  init: emptyHazard,
  observe(state, event) {
    if (event.kind === 'run') observeRun(state, event);
    return state;
  },
  decide(facts, state) {
    const rates = demandRates(state, facts.known.count);
    const { giveUp, score } = giveUpByMarginalCost(facts, rates);
    return { giveUp, score, reuseRate: giveUp.map((d) => rates[d]!) };
  },
};

export default hamr;
