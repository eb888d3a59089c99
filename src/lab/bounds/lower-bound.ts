// A lower bound on the time of any policy that only deletes: the budget at each boundary between runs is priced, the priced
// problem is solved exactly run by run, and the prices are improved. Every price vector gives a valid bound.

import type { ReplayPlan } from '../replay-plan.ts';
import type { KeepNetworks, KeptInterval } from './keep-networks.ts';

export interface LowerBound {
  /** Recomputation that no policy within the budget avoids. */
  readonly recomputeSeconds: number;
  /** What the cuts of the best prices keep, and those of the best uniform price: schedules to try as upper bounds. */
  readonly schedules: readonly (readonly KeptInterval[])[];
}

export interface LowerBoundOptions {
  /** Steps of improving prices after the best uniform price was found. */
  readonly steps?: number | undefined;
  /** Recomputation of some policy: lets the search stop early and choose its step. */
  readonly achieved: number;
}

const gridSteps = 10;

export function lowerBound(
  plan: ReplayPlan,
  networks: KeepNetworks,
  budgetBytes: number,
  options: LowerBoundOptions,
): LowerBound {
  const boundaries = plan.history.runs.length;
  const value = (prices: Float64Array) => {
    const cut = networks.cut(prices);
    const total = prices.reduce((sum, price) => sum + price, 0);
    return { ...cut, bound: cut.cost - budgetBytes * total };
  };
  const uniform = bestUniform(plan, boundaries, value);
  let best = uniform;
  let prices = uniform.prices;
  let current = uniform;
  const schedules = [uniform.kept];
  let pace = 1;
  let stale = 0;
  for (let step = 0; step < (options.steps ?? 60); step += 1) {
    const gap = options.achieved - best.bound;
    if (gap <= 1e-6 * Math.max(1, options.achieved)) break;
    const excess = excessOf(plan, current.kept, budgetBytes, boundaries);
    const norm = excess.reduce((sum, g, i) => sum + (prices[i]! > 0 || g > 0 ? g * g : 0), 0);
    if (norm === 0) break;
    const stride = (pace * (options.achieved - current.bound)) / norm;
    prices = prices.map((price, i) => Math.max(0, price + stride * excess[i]!));
    current = { ...value(prices), prices };
    if (current.bound > best.bound) {
      best = current;
      stale = 0;
    } else if (++stale === 4) {
      stale = 0;
      pace /= 2;
      prices = best.prices;
      current = best;
    }
  }
  if (best !== uniform) schedules.push(best.kept);
  return { recomputeSeconds: Math.max(0, best.bound), schedules };
}

type Valued = { readonly bound: number; readonly kept: readonly KeptInterval[] };

/** The best price that is the same at every boundary, on a grid that narrows in. */
function bestUniform<V extends Valued>(
  plan: ReplayPlan,
  boundaries: number,
  value: (prices: Float64Array) => V,
): V & { prices: Float64Array } {
  const { computeSeconds, sizeBytes } = plan.history;
  const bytes = sizeBytes.reduce((sum, size) => sum + size, 1);
  const seconds = computeSeconds.reduce((sum, time) => sum + time, 0);
  let low = Math.log10(seconds / bytes) - 5;
  let high = low + 6;
  const at = (exponent: number) => {
    const prices = new Float64Array(boundaries).fill(10 ** exponent);
    return { ...value(prices), prices, exponent };
  };
  let best = { ...value(new Float64Array(boundaries)), prices: new Float64Array(boundaries), exponent: low };
  for (let narrowing = 0; narrowing < 2; narrowing += 1) {
    for (let i = 0; i <= gridSteps; i += 1) {
      const tried = at(low + ((high - low) * i) / gridSteps);
      if (tried.bound > best.bound) best = tried;
    }
    const width = (high - low) / gridSteps;
    low = best.exponent - width;
    high = best.exponent + width;
  }
  return best;
}

/** Bytes kept over each boundary less the budget: the slope of the bound in the prices. */
function excessOf(
  plan: ReplayPlan,
  kept: readonly KeptInterval[],
  budgetBytes: number,
  boundaries: number,
): Float64Array {
  const change = new Float64Array(boundaries + 1);
  for (const { dataset, from, until } of kept) {
    change[from]! += plan.history.sizeBytes[dataset]!;
    change[until]! -= plan.history.sizeBytes[dataset]!;
  }
  const excess = new Float64Array(boundaries);
  let held = 0;
  for (let i = 0; i < boundaries; i += 1) {
    held += change[i]!;
    excess[i] = held - budgetBytes;
  }
  return excess;
}
