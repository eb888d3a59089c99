// From counts of demands and exposures to a rate per cell. A cell is (uses so far, runs since the last demand, runs since
// it last occurred in a workflow), the two ages by powers of two. Cells with little evidence lean on a log-linear model of
// the three main effects, and those with little evidence on the overall rate.

export const useClasses = 4;
export const ageBins = 16;
export const cellCount = useClasses * ageBins * ageBins;

/** Pseudo-demands by which evidence is smoothed. */
const smoothing = 6;
const passes = 3;

export function useClass(uses: number): number {
  if (uses < 2) return uses;
  return uses < 5 ? 2 : 3;
}

/** Bin of an age of at least one run: 1, 2–3, 4–7, … */
export function ageBin(age: number): number {
  return Math.min(ageBins - 1, 31 - Math.clz32(Math.max(1, age)));
}

export function cellOf(uses: number, demandAge: number, seenAge: number): number {
  return (useClass(uses) * ageBins + ageBin(demandAge)) * ageBins + ageBin(seenAge);
}

export interface HazardFit {
  /** Demands per run and dataset, whatever the dataset. */
  readonly overall: number;
  /** Demands per run of a dataset in each cell. */
  readonly table: Float64Array;
}

const strides = [ageBins * ageBins, ageBins, 1] as const;
const lengths = [useClasses, ageBins, ageBins] as const;

export function fitHazard(demands: Float64Array, exposures: Float64Array): HazardFit {
  const filled: number[] = [];
  let allDemands = 0.5;
  let allExposures = 25;
  for (let cell = 0; cell < cellCount; cell += 1) {
    if (exposures[cell]! < 1e-6) continue;
    filled.push(cell);
    allDemands += demands[cell]!;
    allExposures += exposures[cell]!;
  }
  const overall = allDemands / allExposures;
  const effects = lengths.map((length) => new Float64Array(length).fill(1));
  for (let pass = 0; pass < passes; pass += 1) {
    for (let k = 0; k < effects.length; k += 1) fitEffect(k, effects, overall, filled, demands, exposures);
  }
  const table = new Float64Array(cellCount);
  for (let cell = 0; cell < cellCount; cell += 1) {
    const prior = Math.min(0.9, overall * effectOf(effects, cell, -1));
    table[cell] = (demands[cell]! + smoothing) / (exposures[cell]! + smoothing / prior);
  }
  return { overall, table };
}

/** One step of iterative proportional fitting: effect `k` such that expected demands match those seen. */
function fitEffect(
  k: number,
  effects: readonly Float64Array[],
  overall: number,
  filled: readonly number[],
  demands: Float64Array,
  exposures: Float64Array,
): void {
  const length = lengths[k]!;
  const seen = new Float64Array(length).fill(smoothing);
  const expected = new Float64Array(length).fill(smoothing);
  for (const cell of filled) {
    const level = Math.floor(cell / strides[k]!) % length;
    seen[level]! += demands[cell]!;
    expected[level]! += exposures[cell]! * overall * effectOf(effects, cell, k);
  }
  for (let level = 0; level < length; level += 1) effects[k]![level] = seen[level]! / expected[level]!;
}

/** Product of the cell's effects, leaving out one. */
function effectOf(effects: readonly Float64Array[], cell: number, without: number): number {
  let product = 1;
  for (let k = 0; k < effects.length; k += 1) {
    if (k !== without) product *= effects[k]![Math.floor(cell / strides[k]!) % lengths[k]!]!;
  }
  return product;
}
