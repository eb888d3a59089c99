// Algorithms that exist only in the laboratory: the yardstick of chance.
import { rankCandidates, takeUntilFree } from '../core/eviction/candidates.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { Random } from './random.ts';

/** Gives up in an order that only the seed and the number of the decision determine. */
export const random: DecisionAlgorithm = {
  name: 'random',
  reason: 'was drawn by lot',
  decide(facts) {
    const draw = new Random(facts.history.count, 'random');
    const salt = draw.bits();
    const lot = (d: number) => Math.imul(facts.known.identity[d]! ^ salt, 0x9e3779b1) >>> 0;
    return { giveUp: takeUntilFree(facts, rankCandidates(facts.known, lot)) };
  },
};

/** By the name that stands in place of a module's URL. */
export const labAlgorithms: Readonly<Record<string, DecisionAlgorithm>> = { 'lab:random': random };
