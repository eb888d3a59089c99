// The thesis' algorithm: what occurs least often in the window of the last N submitted actions goes first, what is absent
// from it before all else. Sizes, times and lineage are not looked at.
import { rankCandidates, takeUntilFree } from '../core/eviction/candidates.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';

export const mostCommonlyUsed: DecisionAlgorithm = {
  name: 'most-commonly-used',
  reason: 'occurs least often in the window of recent actions',
  decide(facts) {
    const { known, window } = facts;
    const occurrences = new Uint32Array(known.count);
    for (const d of window) occurrences[d] = occurrences[d]! + 1;
    // Ties go to the older access: a fraction below one keeps whole counts apart.
    const newest = Math.max(1, facts.now);
    const key = (d: number) => occurrences[d]! + Math.max(0, known.lastAccessAt[d]!) / (newest * 2);
    const giveUp = takeUntilFree(facts, rankCandidates(known, key));
    return { giveUp, score: giveUp.map((d) => occurrences[d]!) };
  },
};

export default mostCommonlyUsed;
