// Chooses what to give up from expected demand and lineage. The price of a dataset is what its absence would add to the
// expected compute time of the next run, given what else is there: the demand that falls on it, its own and that of missing
// descendants, times the seconds of making it and its missing ancestors, less what would be computed anyway. The lowest
// price per byte goes first; each deletion raises the price of relatives, so prices are looked up again when their turn
// comes (lazy greedy).
import type { DecisionFacts, KnownDatasets } from '../ports/decision-algorithm.ts';
import { candidatesOf, giveBack, goesLast } from './candidates.ts';
import { isAvailable } from './dataset-table.ts';
import { LineageWalk } from './lineage-walk.ts';
import { RankHeap } from './rank-heap.ts';

/** Relatives in each direction up to which a price is exact; beyond, an estimate that ignores overlap takes over. */
const exactRelatives = 24;

/** Times that a price is looked up again before the last one counts: bounds the work of a decision. */
const lookUps = 12;

export interface MarginalChoice {
  readonly giveUp: number[];
  /** Expected seconds per run and byte that each would have saved. */
  readonly score: number[];
}

/** What to give up when dataset `d` is demanded in the next run with probability `rate[d]`. */
export function giveUpByMarginalCost(facts: DecisionFacts, rate: Float64Array): MarginalChoice {
  const { known } = facts;
  const pricing = new Pricing(known, rate);
  const candidates = candidatesOf(known);
  const taken: number[] = [];
  const price = new Float64Array(known.count);
  let freed = 0;
  const lookedUp = new Uint8Array(known.count);
  const lookedUpAt = new Int32Array(known.count).fill(-1);
  for (const tier of tiersOf(known, candidates)) {
    const heap = new RankHeap(tier.length, known.identity);
    for (const d of tier) heap.push((rate[d]! * known.computeSeconds[d]!) / known.sizeBytes[d]!, d);
    while (freed < facts.bytesToFree && heap.size > 0) {
      const d = heap.pop();
      if (lookedUpAt[d] !== taken.length && lookedUp[d]! < lookUps) {
        lookedUp[d]! += 1;
        lookedUpAt[d] = taken.length;
        price[d] = pricing.of(d) / known.sizeBytes[d]!;
        if (price[d]! > heap.smallest) {
          heap.push(price[d]!, d);
          continue;
        }
      }
      pricing.giveUp(d);
      taken.push(d);
      freed += known.sizeBytes[d]!;
    }
    if (freed >= facts.bytesToFree) break;
  }
  const giveUp = giveBack(facts, taken, freed);
  return { giveUp, score: giveUp.map((d) => price[d]!) };
}

/** Prices under a view of what is there that follows the choice as it grows. */
class Pricing {
  readonly #known: KnownDatasets;
  readonly #rate: Float64Array;
  readonly #marks: Uint8Array;
  readonly #walk: LineageWalk;
  /** Probability that the next run does not need the dataset, as if demands came independently along every path. */
  readonly #spared: Float64Array;
  /** The dataset from which the last walk went up, as long as nothing has gone since. */
  #walked = -1;

  constructor(known: KnownDatasets, rate: Float64Array) {
    this.#known = known;
    this.#rate = rate;
    this.#marks = known.marks.slice(0, known.count);
    this.#walk = new LineageWalk(known, this.#marks, exactRelatives);
    this.#spared = sparedOf(known, rate);
  }

  /** Expected seconds per run that giving up the dataset would cost. */
  of(d: number): number {
    const walk = this.#walk;
    this.#walked = d;
    const few = walk.walkUp(d) && walk.walkDown(d);
    const overlap = few ? walk.overlap(d, this.#rate) : undefined;
    return overlap === undefined ? this.#estimate(d) : this.#demand() * this.#seconds() - overlap;
  }

  #demand(): number {
    const { down, downCount } = this.#walk;
    let demand = 0;
    for (let i = 0; i < downCount; i += 1) demand += this.#rate[down[i]!]!;
    return demand;
  }

  #seconds(): number {
    const { up, upCount } = this.#walk;
    let seconds = 0;
    for (let i = 0; i < upCount; i += 1) seconds += this.#known.computeSeconds[up[i]!]!;
    return seconds;
  }

  /** The price when relatives are too many: ancestors count as far as nobody else is likely to need them. */
  #estimate(d: number): number {
    const { up, upCount } = this.#walk;
    const { computeSeconds } = this.#known;
    let seconds = computeSeconds[d]!;
    for (let i = 1; i < upCount; i += 1) seconds += computeSeconds[up[i]!]! * this.#spared[up[i]!]!;
    return (1 - this.#spared[d]!) * seconds;
  }

  giveUp(d: number): void {
    const spared = this.#spared;
    const factor = spared[d]!;
    const walk = this.#walk;
    // Most go right after their price was looked up.
    if (this.#walked !== d) walk.walkUp(d);
    this.#walked = -1;
    for (const edge of new Set(walk.edges.subarray(0, walk.edgeCount))) spared[edge]! *= factor;
    for (let i = 1; i < walk.upCount; i += 1) spared[walk.up[i]!]! *= factor;
    this.#marks[d] = 0;
  }
}

/** What may go, and what goes only when all of that is not enough. */
function tiersOf(known: KnownDatasets, candidates: Int32Array): Int32Array[] {
  const last = candidates.filter((d) => goesLast(known, d));
  return last.length === 0 ? [candidates] : [candidates.filter((d) => !goesLast(known, d)), last];
}

function sparedOf(known: KnownDatasets, rate: Float64Array): Float64Array {
  const { count, parentStart, parents, marks } = known;
  const spared = new Float64Array(count).fill(1);
  for (let d = count - 1; d >= 0; d -= 1) {
    spared[d] = spared[d]! * (1 - Math.min(1, rate[d]!));
    if (isAvailable(marks[d]!)) continue;
    for (let i = parentStart[d]!; i < parentStart[d + 1]!; i += 1) spared[parents[i]!]! *= spared[d]!;
  }
  return spared;
}
