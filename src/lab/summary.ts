// Tables from simulation results: means per family and pooled, and paired comparisons with confidence intervals. Pooled
// means weigh every family alike; intervals come from a bootstrap that draws histories within each family.
import { Random } from './random.ts';
import { budgetName, type CellResult, type ReplayRow, type SimulationResults } from './simulate.ts';

export const pooled = 'all families';

export interface Means {
  readonly family: string;
  readonly budget: string;
  readonly algorithm: string;
  readonly histories: number;
  readonly regret: number;
  readonly idealOverActual: number;
  readonly unlimitedOverActual: number;
  readonly byteHitRate: number;
  readonly costHitRate: number;
  readonly totalSeconds: number;
  readonly secondsPerDecision: number;
}

/** Regrets of the bounds, where they were computed. */
export interface BoundMeans {
  readonly family: string;
  readonly budget: string;
  readonly lowerRegret: number;
  readonly upperRegret: number;
}

type Measure = Exclude<keyof Means, 'family' | 'budget' | 'algorithm' | 'histories'>;

const measures: Readonly<Record<Measure, (row: ReplayRow) => number>> = {
  regret: (row) => row.regret,
  idealOverActual: (row) => row.idealOverActual,
  unlimitedOverActual: (row) => row.unlimitedOverActual,
  byteHitRate: (row) => row.byteHitRate,
  costHitRate: (row) => row.costHitRate,
  totalSeconds: (row) => row.totalSeconds,
  secondsPerDecision: (row) => row.decisionSeconds / Math.max(1, row.decisions),
};

export function familiesOf(results: SimulationResults): string[] {
  return [...new Set(results.cells.map(({ cell }) => cell.family))];
}

/** Means of every algorithm, per family and budget and pooled over the families. */
export function meansOf(results: SimulationResults): Means[] {
  const means: Means[] = [];
  for (const budget of results.budgets.map(budgetName)) {
    for (const algorithm of results.algorithms) {
      const perFamily = familiesOf(results).map((family): Means => {
        const rows = rowsOf(cellsOf(results, family, budget), algorithm);
        return { family, budget, algorithm, histories: rows.length, ...averages(rows) };
      });
      const histories = perFamily.reduce((sum, m) => sum + m.histories, 0);
      const overall = Object.fromEntries(
        Object.keys(measures).map((key) => [key, mean(perFamily.map((m) => m[key as Measure]))]),
      ) as Record<Measure, number>;
      means.push(...perFamily, { family: pooled, budget, algorithm, histories, ...overall });
    }
  }
  return means;
}

export function boundMeansOf(results: SimulationResults): BoundMeans[] {
  return results.budgets.map(budgetName).flatMap((budget) => {
    const perFamily = familiesOf(results).flatMap((family): BoundMeans[] => {
      const bounded = cellsOf(results, family, budget).filter(({ cell }) => cell.upperSeconds !== undefined);
      if (bounded.length === 0) return [];
      const lowerRegret = mean(bounded.map((c) => regretOf(c, c.cell.lowerSeconds!)));
      const upperRegret = mean(bounded.map((c) => regretOf(c, c.cell.upperSeconds!)));
      return [{ family, budget, lowerRegret, upperRegret }];
    });
    if (perFamily.length === 0) return [];
    const lowerRegret = mean(perFamily.map((b) => b.lowerRegret));
    const upperRegret = mean(perFamily.map((b) => b.upperRegret));
    return [...perFamily, { family: pooled, budget, lowerRegret, upperRegret }];
  });
}

export interface Comparison {
  readonly algorithm: string;
  readonly against: string;
  readonly budget: string;
  /** How much less regret, as a share of the other's: 0.2 means 20 % less. */
  readonly lessRegret: number;
  /** 95 % confidence interval of `lessRegret`; one history of a family alone says nothing about others. */
  readonly interval: readonly [number, number] | undefined;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** The largest total time relative to the other's on any single history. */
  readonly worstTotalRatio: number;
}

const resamples = 1000;

/** Compares two algorithms on the same histories under one budget; seeded, so that tables are reproducible. */
export function compare(
  results: SimulationResults,
  algorithm: string,
  against: string,
  budget: string,
): Comparison {
  const strata = familiesOf(results).map((family) => {
    const cells = cellsOf(results, family, budget);
    const mine = rowsOf(cells, algorithm);
    const others = rowsOf(cells, against);
    return mine.map((row, i) => ({ row, other: others[i]! }));
  });
  const lessRegret = (sampled: typeof strata) => {
    const own = mean(sampled.map((pairs) => mean(pairs.map(({ row }) => row.regret))));
    const other = mean(sampled.map((pairs) => mean(pairs.map((pair) => pair.other.regret))));
    return other === 0 ? 0 : 1 - own / other;
  };
  const random = new Random(`${algorithm}/${against}/${budget}`, 'bootstrap');
  const drawn = Array.from({ length: resamples }, () =>
    lessRegret(strata.map((pairs) => pairs.map(() => pairs[random.below(pairs.length)]!))),
  ).sort((a, b) => a - b);
  const ratios = strata.flat().map(({ row, other }) => row.totalSeconds / other.totalSeconds);
  return {
    algorithm,
    against,
    budget,
    lessRegret: lessRegret(strata),
    interval: strata.some((pairs) => pairs.length > 1)
      ? [drawn[Math.floor(resamples * 0.025)]!, drawn[Math.ceil(resamples * 0.975) - 1]!]
      : undefined,
    wins: ratios.filter((ratio) => ratio < 1 - 1e-9).length,
    losses: ratios.filter((ratio) => ratio > 1 + 1e-9).length,
    ties: ratios.filter((ratio) => Math.abs(ratio - 1) <= 1e-9).length,
    worstTotalRatio: Math.max(...ratios),
  };
}

function cellsOf(results: SimulationResults, family: string, budget: string): CellResult[] {
  return results.cells.filter(({ cell }) => cell.family === family && budgetName(cell.budget) === budget);
}

function rowsOf(cells: readonly CellResult[], algorithm: string): ReplayRow[] {
  return cells.map(({ rows }) => rows.find((row) => row.algorithm === algorithm)!);
}

function regretOf({ cell }: CellResult, seconds: number): number {
  const avoidable = cell.bareSeconds - cell.unlimitedSeconds;
  return avoidable === 0 ? 0 : Math.max(0, seconds - cell.unlimitedSeconds) / avoidable;
}

function averages(rows: readonly ReplayRow[]): Record<Measure, number> {
  return Object.fromEntries(Object.entries(measures).map(([key, of]) => [key, mean(rows.map(of))])) as Record<
    Measure,
    number
  >;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
