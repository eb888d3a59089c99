// `varve lab replay`: one history under other algorithms and budgets, compared with the first of each.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHistory } from '../../lab/history-file.ts';
import { budgetName } from '../../lab/simulate.ts';
import type { CommandContext } from '../command.ts';
import type { CommandRun } from '../command-table.ts';
import { laboratoryErrors } from '../laboratory/error-codes.ts';
import { withApi } from '../session.ts';
import { type SimulationRequest, showHours, simulateAndShow } from '../simulate-and-show.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'lab replay'> = async ({ arguments: given, options }, context) => {
  if (given.history !== undefined) return compare(given.history, options, context);
  const folder = await mkdtemp(join(tmpdir(), 'varve-replay-'));
  try {
    const path = join(folder, 'site.jsonl');
    await withApi(context, async (api) => writeFile(path, (await api.exportHistory({})).body));
    if (readHistory(await readFile(path, 'utf8'), path).runs.length === 0)
      throw laboratoryErrors.LAB_NO_HISTORY();
    return await compare(path, options, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

async function compare(path: string, options: SimulationRequest, context: CommandContext): Promise<number> {
  const { output } = context;
  await simulateAndShow([{ kind: 'file', path }], options, context, ({ cells }) => {
    const base = cells[0]!.rows[0]!.totalSeconds;
    const columns = [
      { title: 'BUDGET' },
      { title: 'ALGORITHM' },
      ...['COMPUTE TIME', 'OF IT AGAIN', 'SAVED', 'IDEAL/ACTUAL'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ];
    const rows = cells.flatMap(({ cell, rows: measured }) =>
      measured.map((row) => [
        budgetName(cell.budget),
        row.algorithm,
        showHours(row.totalSeconds),
        showHours(row.recomputeSeconds),
        showHours(base - row.totalSeconds),
        row.idealOverActual.toFixed(3),
      ]),
    );
    const { runs, datasets, unlimitedSeconds, bareSeconds } = cells[0]!.cell;
    return [
      `${runs} runs over ${datasets} datasets; ${showHours(unlimitedSeconds)} with an unlimited store, ${showHours(bareSeconds)} keeping only results`,
      ...renderTable(columns, rows, output.style, output.columns()),
    ].join('\n');
  });
  return 0;
}
