// `varve lab report`: HTML from simulation results.
import { readFile, writeFile } from 'node:fs/promises';
import { labErrors } from '../../lab/error-codes.ts';
import { renderReport } from '../../lab/report/render-report.ts';
import type { SimulationResults } from '../../lab/simulate.ts';
import type { CommandRun } from '../command-table.ts';

export const run: CommandRun<'lab report'> = async ({ arguments: given, options }, { output }) => {
  const results = resultsOf(await readFile(given.results, 'utf8'), given.results);
  await writeFile(options.out, renderReport(results, { title: options.title }));
  output.result({ path: options.out }, () => `wrote ${options.out}`);
  return 0;
};

function resultsOf(text: string, file: string): SimulationResults {
  let results: Partial<SimulationResults> | null;
  try {
    results = JSON.parse(text) as Partial<SimulationResults> | null;
  } catch (error) {
    throw labErrors.LAB_BAD_RESULTS.with({ cause: error }, file, (error as Error).message);
  }
  for (const key of ['algorithms', 'budgets', 'cells', 'traces'] as const) {
    if (!Array.isArray(results?.[key])) throw labErrors.LAB_BAD_RESULTS(file, `"${key}" is missing`);
  }
  if (results?.cells?.length === 0) throw labErrors.LAB_BAD_RESULTS(file, 'there is no history in it');
  return results as SimulationResults;
}
