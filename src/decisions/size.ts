// Largest first: frees the space with the fewest deletions and looks at nothing else.
import { rankCandidates, takeUntilFree } from '../core/eviction/candidates.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';

export const size: DecisionAlgorithm = {
  name: 'size',
  reason: 'is the largest',
  decide(facts) {
    const { sizeBytes } = facts.known;
    const giveUp = takeUntilFree(
      facts,
      rankCandidates(facts.known, (d) => -sizeBytes[d]!),
    );
    return { giveUp, score: giveUp.map((d) => -sizeBytes[d]!) };
  },
};

export default size;
