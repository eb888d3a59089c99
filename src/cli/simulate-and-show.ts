// What `lab simulate` and `lab replay` have in common: running the simulation under a progress bar and writing its files.
import { writeFile } from 'node:fs/promises';
import type { Json } from '../core/json.ts';
import type { HistorySource } from '../lab/history-source.ts';
import { renderReport } from '../lab/report/render-report.ts';
import { type SimulationResults, simulate } from '../lab/simulate.ts';
import type { CommandContext } from './command.ts';
import { algorithmsOf, budgetsOf } from './lab-request.ts';
import { countProgress } from './terminal/count-progress.ts';

export interface SimulationRequest {
  readonly budget: readonly string[];
  readonly algorithm: readonly string[];
  readonly 'no-bounds': boolean;
  readonly threads: number | undefined;
  readonly out: string | undefined;
  readonly report: string | undefined;
}

export async function simulateAndShow(
  sources: readonly HistorySource[],
  options: SimulationRequest,
  { output, signal }: CommandContext,
  text: (results: SimulationResults) => string,
): Promise<void> {
  const progress = countProgress(
    process.stderr,
    output.noteStyle,
    'histories',
    !output.quiet && !output.json,
  );
  let results: SimulationResults;
  try {
    results = await simulate({
      sources,
      algorithms: algorithmsOf(options.algorithm),
      budgets: budgetsOf(options.budget),
      bounds: !options['no-bounds'],
      threads: options.threads,
      traceBudget: options.report || options.out ? { share: 0.1 } : undefined,
      signal,
      onProgress: progress.update,
    });
  } finally {
    progress.stop();
  }
  if (options.out) await writeFile(options.out, `${JSON.stringify(results)}\n`);
  if (options.report) await writeFile(options.report, renderReport(results));
  output.result(JSON.parse(JSON.stringify(results)) as Json, () => text(results));
  for (const file of [options.out, options.report]) if (file) output.note(`wrote ${file}`);
}

/** Compute time in the largest unit that suits it. */
export function showHours(seconds: number): string {
  const amount = Math.abs(seconds);
  const sign = seconds < -0.05 ? '-' : '';
  if (amount >= 3600) return `${sign}${(amount / 3600).toFixed(1)} h`;
  return amount >= 60 ? `${sign}${(amount / 60).toFixed(1)} min` : `${sign}${amount.toFixed(1)} s`;
}
