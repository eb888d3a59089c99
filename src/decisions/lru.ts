// Least recently used: what was neither computed nor demanded for the longest time goes first.
import { rankCandidates, takeUntilFree } from '../core/eviction/candidates.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';

export const lru: DecisionAlgorithm = {
  name: 'lru',
  reason: 'was not used for the longest time',
  decide(facts) {
    const { lastAccessAt } = facts.known;
    const giveUp = takeUntilFree(
      facts,
      rankCandidates(facts.known, (d) => lastAccessAt[d]!),
    );
    return { giveUp, score: giveUp.map((d) => lastAccessAt[d]!) };
  },
};

export default lru;
