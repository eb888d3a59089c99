// Nectar's cost-benefit rule: uses times the compute time of the whole lineage, per byte and per time since the last use;
// the lowest goes first. The lineage counts from scratch, stored or not, which overvalues what has stored parents.
import { rankCandidates, takeUntilFree } from '../core/eviction/candidates.ts';
import { recomputeSeconds } from '../core/eviction/recompute-cost.ts';
import type { DecisionAlgorithm, DecisionFacts } from '../core/ports/decision-algorithm.ts';

/** Datasets of a lineage beyond which its time is taken as it stands: keeps a decision over dense graphs short. */
const lineageLimit = 256;

export const nectar: DecisionAlgorithm = {
  name: 'nectar',
  reason: 'saves least per byte and per time since its last use, counting its whole lineage',
  decide(facts) {
    const benefit = benefitOf(facts);
    const keys = new Float64Array(facts.known.count);
    const order = rankCandidates(facts.known, (d) => {
      keys[d] = benefit(d);
      return keys[d]!;
    });
    const giveUp = takeUntilFree(facts, order);
    return { giveUp, score: giveUp.map((d) => keys[d]!) };
  },
};

function benefitOf({ known, history, now }: DecisionFacts): (d: number) => number {
  const nothingStored = new Uint8Array(known.count);
  const oneRun = now / Math.max(1, history.count);
  return (d) => {
    const idle = Math.max(now - known.lastAccessAt[d]!, 0) + oneRun;
    const uses = known.uses[d]! + 1;
    return (uses * recomputeSeconds(known, nothingStored, d, lineageLimit)) / (known.sizeBytes[d]! * idle);
  };
}

export default nectar;
