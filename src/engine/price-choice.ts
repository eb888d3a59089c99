// A choice with a price tag on each dataset: the plan of a decision, to be printed or applied. In a very large choice all missing ancestors
// are added up for the first datasets and only the nearest for the rest, so that explaining never takes longer than deciding.
import { explainChoice, type PriceTag } from '../core/eviction/explain-choice.ts';
import type { Json } from '../core/json.ts';
import type { Choice, DecisionFacts } from '../core/ports/decision-algorithm.ts';
import { breathe } from './breathe.ts';

/** The row of a dataset as it was looked at. */
export interface LookedAtRow {
  readonly id: number;
  readonly version: number;
  readonly name: string;
}

export interface PricedDataset {
  readonly row: LookedAtRow;
  readonly bytes: number;
  /** Seconds to make it again as things stand; undefined where nobody asked. */
  readonly recomputeSeconds: number | undefined;
  readonly uses: number;
  readonly idleRuns: number | undefined;
  /** Expected demands per run, where the algorithm has an opinion. */
  readonly reuseRate: number | undefined;
  readonly score: number | undefined;
  /** Who decided: an algorithm, a rule, a user. */
  readonly by: string;
  /** Why it goes, as a sentence without its first capital. */
  readonly text: string;
}

const datasetsAtOnce = 100;
const thoroughlyMs = 50;
const thoroughly = 10_000;
const roughly = 16;

export async function priceChoice(
  facts: DecisionFacts,
  choice: Choice,
  rowOf: (number: number) => LookedAtRow | undefined,
  by: string,
  reason: string,
): Promise<PricedDataset[]> {
  const priced: PricedDataset[] = [];
  const until = performance.now() + thoroughlyMs;
  for (let start = 0; start < choice.giveUp.length; start += datasetsAtOnce) {
    await breathe();
    const part = partOf(choice, start);
    const tags = explainChoice(facts, part, reason, performance.now() < until ? thoroughly : roughly);
    for (let i = 0; i < part.giveUp.length; i += 1) {
      const number = part.giveUp[i] as number;
      const row = rowOf(number);
      if (!row) continue;
      const bytes = facts.known.sizeBytes[number] as number;
      const tag = tags[i] as PriceTag;
      priced.push({
        row,
        bytes,
        recomputeSeconds: tag.recomputeSeconds,
        uses: facts.known.uses[number] as number,
        idleRuns: tag.idleRuns,
        reuseRate: part.reuseRate?.[i],
        score: part.score?.[i],
        by,
        text: tag.text,
      });
    }
  }
  return priced;
}

/** What the journal keeps of a price tag. */
export function tagDetail({ row: _, text, ...tag }: PricedDataset): Json {
  return JSON.parse(JSON.stringify({ ...tag, why: text })) as Json;
}

function partOf(choice: Choice, start: number): Choice {
  const cut = (column: ArrayLike<number>): number[] =>
    Array.from(
      { length: Math.min(datasetsAtOnce, column.length - start) },
      (_, i) => column[start + i] as number,
    );
  return {
    giveUp: cut(choice.giveUp),
    ...(choice.score ? { score: cut(choice.score) } : {}),
    ...(choice.reuseRate ? { reuseRate: cut(choice.reuseRate) } : {}),
  };
}
