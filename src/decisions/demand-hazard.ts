// Learns how likely a dataset is to be demanded by the next run. Every known dataset that is not a result is exposed in
// every run, deleted or not, so what is learnt is the users' behaviour. Two predictors compete by log-loss: one rate for
// all, and the table of cells; the weights follow the recent past. The work per run is that of its members and of the
// datasets that change their age bin, never that of all known ones.
import { resized } from '../core/eviction/dataset-table.ts';
import type { RunEvent } from '../core/ports/decision-algorithm.ts';
import { ageBins, cellCount, cellOf, fitHazard, type HazardFit } from './hazard-fit.ts';
import { emptyBuckets, enterBucket, growBuckets, moveBucket, type RunBuckets } from './run-buckets.ts';

/** Share of old counts that a run leaves: evidence halves in about 140 runs. */
const memory = 0.995;
/** Share of old log-loss that a run leaves, and how sharply the difference decides. */
const lossMemory = 0.98;
const sharpness = 0.2;
/** Beyond this many runs the table is fitted again only every `fitEvery` runs while following along. */
const fitAlways = 256;
const fitEvery = 16;

export interface HazardState {
  /** Runs observed. */
  runs: number;
  /** Datasets entered. */
  count: number;
  uses: Uint32Array;
  cell: Uint32Array;
  /** 1 while the dataset is exposed: known and not a result. */
  exposed: Uint8Array;
  readonly demanded: RunBuckets;
  readonly seen: RunBuckets;
  readonly population: Float64Array;
  readonly demands: Float64Array;
  readonly exposures: Float64Array;
  fit: HazardFit;
  /** How much better the table predicted than the overall rate of late, in log-loss. */
  advantage: number;
}

export function emptyHazard(): HazardState {
  const demands = new Float64Array(cellCount);
  const exposures = new Float64Array(cellCount);
  return {
    runs: 0,
    count: 0,
    uses: new Uint32Array(64),
    cell: new Uint32Array(64),
    exposed: new Uint8Array(64),
    demanded: emptyBuckets(),
    seen: emptyBuckets(),
    population: new Float64Array(cellCount),
    demands,
    exposures,
    fit: fitHazard(demands, exposures),
    advantage: 0,
  };
}

/** Takes in a run; changes the state in place. */
export function observeRun(state: HazardState, run: RunEvent): void {
  const { number, members, demanded, results } = run;
  const newest = members.reduce((most, d) => Math.max(most, d + 1), state.count);
  grow(state, newest, number + 1);
  for (; state.runs < number; state.runs += 1) passRun(state, state.runs, new Float64Array(cellCount));
  const hits = new Float64Array(cellCount);
  age(state, number);
  for (const d of demanded) if (d < state.count && state.exposed[d]) hits[state.cell[d]!]! += 1;
  countRun(state, number, hits);
  state.runs = number + 1;
  for (const d of demanded) {
    if (d >= state.count) continue;
    state.uses[d]! += 1;
    moveBucket(state.demanded, d, number);
  }
  for (const d of members) {
    if (d < state.count) moveBucket(state.seen, d, number);
  }
  for (let d = state.count; d < newest; d += 1) {
    enterBucket(state.demanded, d, number);
    enterBucket(state.seen, d, number);
    state.exposed[d] = 1;
    state.population[(state.cell[d] = cellOf(0, 1, 1))]! += 1;
  }
  for (const d of members) if (d < state.count) refile(state, d, number);
  state.count = newest;
  for (const d of results) {
    if (!state.exposed[d]) continue;
    state.exposed[d] = 0;
    state.population[state.cell[d]!]! -= 1;
  }
}

/** Probability that the next run demands each of the first `count` datasets. */
export function demandRates(state: HazardState, count: number): Float64Array {
  const { overall, table } = fitHazard(state.demands, state.exposures);
  const trust = 1 / (1 + Math.exp(-sharpness * state.advantage));
  const rates = new Float64Array(count);
  for (let d = 0; d < count; d += 1) {
    if (d >= state.count) {
      rates[d] = overall;
      continue;
    }
    const cell = cellOf(
      state.uses[d]!,
      state.runs - state.demanded.last[d]!,
      state.runs - state.seen.last[d]!,
    );
    rates[d] = trust * table[cell]! + (1 - trust) * overall;
  }
  return rates;
}

function passRun(state: HazardState, number: number, hits: Float64Array): void {
  age(state, number);
  countRun(state, number, hits);
}

/** Moves datasets whose ages reach a power of two with this run into their next bin. */
function age(state: HazardState, number: number): void {
  for (let bin = 1; bin < ageBins && number - 2 ** bin >= 0; bin += 1) {
    shift(state, state.demanded, number - 2 ** bin, ageBins);
    shift(state, state.seen, number - 2 ** bin, 1);
  }
}

function shift(state: HazardState, buckets: RunBuckets, run: number, by: number): void {
  for (let d = buckets.head[run]!; d >= 0; d = buckets.next[d]!) {
    if (!state.exposed[d]) continue;
    state.population[state.cell[d]!]! -= 1;
    state.population[(state.cell[d] = state.cell[d]! + by)]! += 1;
  }
}

/** Files a dataset anew after run `number` touched it; `age` moves it on from there. */
function refile(state: HazardState, d: number, number: number): void {
  if (!state.exposed[d]) return;
  state.population[state.cell[d]!]! -= 1;
  state.cell[d] = cellOf(state.uses[d]!, number - state.demanded.last[d]!, number - state.seen.last[d]!);
  state.population[state.cell[d]!]! += 1;
}

function countRun(state: HazardState, number: number, hits: Float64Array): void {
  const { population, demands, exposures, fit } = state;
  let gain = 0;
  for (let cell = 0; cell < cellCount; cell += 1) {
    const exposed = population[cell]!;
    demands[cell] = demands[cell]! * memory + hits[cell]!;
    exposures[cell] = exposures[cell]! * memory + exposed;
    if (exposed === 0) continue;
    const rate = fit.table[cell]!;
    if (hits[cell]! > 0) gain += hits[cell]! * Math.log(rate / fit.overall);
    gain -= exposed * (rate - fit.overall);
  }
  state.advantage = state.advantage * lossMemory + gain;
  if (number < fitAlways || number % fitEvery === 0) state.fit = fitHazard(demands, exposures);
}

function grow(state: HazardState, datasets: number, runs: number): void {
  if (state.uses.length < datasets) {
    state.uses = resized(state.uses, datasets * 2);
    state.cell = resized(state.cell, datasets * 2);
    state.exposed = resized(state.exposed, datasets * 2);
  }
  growBuckets(state.demanded, datasets, runs);
  growBuckets(state.seen, datasets, runs);
}
