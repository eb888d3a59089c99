// A price tag for every dataset that a choice gives up: what it frees, what it would cost to make it again now, how often it
// was used, how soon it is expected to be wanted, and one sentence that says so.
import type { Choice, DecisionFacts } from '../ports/decision-algorithm.ts';
import { recomputePrice } from './recompute-cost.ts';

export interface PriceTag {
  readonly dataset: number;
  readonly bytes: number;
  /** Seconds to make it again with everything else as it is now, missing ancestors included. */
  readonly recomputeSeconds: number;
  /** False when it has too many missing ancestors to add them all up: it costs at least so much. */
  readonly complete: boolean;
  readonly uses: number;
  /** Runs since it was last demanded or first computed. */
  readonly idleRuns: number;
  /** Expected demands per run, where the algorithm has an opinion. */
  readonly reuseRate: number | undefined;
  /** The number by which it was ranked. */
  readonly score: number | undefined;
  /** Why it goes. */
  readonly text: string;
}

/**
 * Price tags of the datasets of a choice; `reason` is the algorithm's phrase. For a price up to `ancestors` missing ancestors are
 * added up.
 */
export function explainChoice(
  facts: DecisionFacts,
  choice: Choice,
  reason: string,
  ancestors = 10_000,
): PriceTag[] {
  const { known } = facts;
  const runs = latestRun(facts);
  const tags: PriceTag[] = [];
  for (let i = 0; i < choice.giveUp.length; i += 1) {
    const dataset = choice.giveUp[i]!;
    const price = recomputePrice(known, known.marks, dataset, ancestors);
    const tag = {
      dataset,
      bytes: known.sizeBytes[dataset]!,
      recomputeSeconds: price.seconds,
      complete: price.complete,
      uses: known.uses[dataset]!,
      idleRuns: runs - known.lastDemandRun[dataset]!,
      reuseRate: choice.reuseRate?.[i],
      score: choice.score?.[i],
    };
    tags.push({ ...tag, text: sentence(tag, reason) });
  }
  return tags;
}

function sentence(tag: Omit<PriceTag, 'text'>, reason: string): string {
  const uses = tag.uses === 0 ? 'never used again' : `used ${tag.uses === 1 ? 'once' : `${tag.uses} times`}`;
  const idle = tag.idleRuns === 0 ? 'in the latest run' : `${tag.idleRuns} runs ago`;
  const facts = [
    `frees ${tag.bytes} bytes`,
    `${tag.complete ? '' : 'at least '}${round(tag.recomputeSeconds)} s to recompute now`,
    `${uses}, last wanted ${idle}`,
  ];
  if (tag.reuseRate !== undefined) facts.push(`expected ${round(tag.reuseRate)} uses per run`);
  return `it ${reason}: ${facts.join('; ')}`;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function latestRun({ history }: DecisionFacts): number {
  for (let i = history.count - 1; i >= 0; i -= 1) {
    const event = history.event(i);
    if (event.kind === 'run') return event.number;
  }
  return 0;
}
