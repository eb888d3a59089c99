// `varve decide`: what goes when space is needed, with a price tag on each dataset.
import type { Json } from '../../core/json.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import type { Decision } from '../../engine/make-decision.ts';
import { measureSpace, stayingBytes } from '../../engine/measure-space.ts';
import type { PricedDataset } from '../../engine/price-choice.ts';
import type { Varve } from '../../varve.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import type { Output } from '../output.ts';
import { withVarve } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'decide'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    const bytes = options.free ?? (await bytesOverBudget(varve));
    const dry = options['dry-run'];
    const { decisionManager } = varve.engine;
    const decision = dry ? await decisionManager.foresee(bytes) : await decisionManager.free(bytes);
    if (!decision) throw engineErrors.DECISIONS_BUSY();
    if (!dry) await varve.engine.datasetManager.sweep();
    await printDecision(varve, decision, { dry, limit: options.limit }, context.output);
    return 0;
  });

async function bytesOverBudget(varve: Varve): Promise<number> {
  const { budget } = varve.decisions;
  if (!budget) throw cliErrors.CLI_NO_BUDGET();
  const space = await measureSpace(varve.engine.context, budget);
  return stayingBytes(space) > space.highBytes ? stayingBytes(space) - space.lowBytes : 0;
}

async function printDecision(
  varve: Varve,
  decision: Decision,
  { dry, limit }: { dry: boolean; limit: number },
  output: Output,
): Promise<void> {
  const shown = decision.givenUp.slice(0, limit);
  const rows = await varve.store.view.datasetSketches(shown.map(({ row }) => row.id));
  const signatures = new Map(rows.map((row) => [row.id, row.signature]));
  const { givenUp, ...figures } = decision;
  output.result(
    {
      dryRun: dry,
      ...JSON.parse(JSON.stringify(figures)),
      datasets: givenUp.length,
      givenUp: shown.map((one) => priced(one, signatures.get(one.row.id) ?? '')),
    },
    () => {
      const lines = renderTable(
        ['DATASET', 'FREES', 'RECOMPUTE', 'USES', 'EXPECTED', 'NAME', 'WHY'].map((title) => ({ title })),
        shown.map((one) => [
          (signatures.get(one.row.id) ?? '').slice(0, 12),
          formatBytes(one.bytes),
          one.recomputeSeconds === undefined ? '' : formatDuration(one.recomputeSeconds * 1000),
          String(one.uses),
          one.reuseRate === undefined ? '' : `${Number(one.reuseRate.toPrecision(2))} per run`,
          one.row.name,
          `${one.by}: ${one.text}`,
        ]),
        output.style,
        output.columns(),
      );
      if (givenUp.length > shown.length) lines.push(`and ${givenUp.length - shown.length} more`);
      return [...(shown.length > 0 ? lines : []), ...summary(decision, dry)].join('\n');
    },
  );
}

function summary(decision: Decision, dry: boolean): string[] {
  const { givenUp, freedBytes, wantedBytes, shortfallBytes, refused } = decision;
  const lines = [
    givenUp.length === 0
      ? 'nothing has to go'
      : `${givenUp.length} ${givenUp.length === 1 ? 'dataset' : 'datasets'} ${dry ? 'would be' : 'were'} given up, ${formatBytes(freedBytes)} of the ${formatBytes(wantedBytes)} wanted`,
  ];
  if (shortfallBytes > 0)
    lines.push(`${formatBytes(shortfallBytes)} cannot be freed: the rest is needed, kept or a result`);
  if (refused !== undefined) lines.push(`the configured algorithm did not decide: ${refused}`);
  return lines;
}

function priced({ row, ...tag }: PricedDataset, signature: string): Json {
  return JSON.parse(JSON.stringify({ signature, name: row.name, ...tag })) as Json;
}
