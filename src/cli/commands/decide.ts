// `varve decide`: what goes when space is needed, with a price tag on each dataset.
import type { Output } from '../../api/api.ts';
import type { Json } from '../../core/json.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import type { Output as Terminal } from '../output.ts';
import { withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

type Decision = Output<'decide'>;

export const run: CommandRun<'decide'> = ({ options }, context) =>
  withApi(context, async (api) => {
    const { free, limit } = options;
    const amount = free === undefined ? {} : { free };
    const decision = await api.decide({ ...amount, dryRun: options['dry-run'], limit });
    context.output.result(asJson(decision), () => render(decision, context.output));
    return 0;
  });

function asJson({ givenUp, ...figures }: Decision): Json {
  const listed = givenUp.map(({ dataset, ...tag }) => ({ signature: dataset, ...tag }));
  return JSON.parse(JSON.stringify({ ...figures, givenUp: listed })) as Json;
}

function render(decision: Decision, output: Terminal): string {
  const { givenUp } = decision;
  const lines = renderTable(
    ['DATASET', 'FREES', 'RECOMPUTE', 'USES', 'EXPECTED', 'NAME', 'WHY'].map((title) => ({ title })),
    givenUp.map((one) => [
      one.dataset.slice(0, 12),
      formatBytes(one.bytes),
      one.recomputeSeconds === undefined ? '' : formatDuration(one.recomputeSeconds * 1000),
      String(one.uses),
      one.reuseRate === undefined ? '' : `${Number(one.reuseRate.toPrecision(2))} per run`,
      one.name,
      `${one.by}: ${one.text}`,
    ]),
    output.style,
    output.columns(),
  );
  if (decision.datasets > givenUp.length) lines.push(`and ${decision.datasets - givenUp.length} more`);
  return [...(givenUp.length > 0 ? lines : []), ...summary(decision)].join('\n');
}

function summary(decision: Decision): string[] {
  const { datasets, freedBytes, wantedBytes, shortfallBytes, refused, dryRun } = decision;
  const lines = [
    datasets === 0
      ? 'nothing has to go'
      : `${datasets} ${datasets === 1 ? 'dataset' : 'datasets'} ${dryRun ? 'would be' : 'were'} given up, ${formatBytes(freedBytes)} of the ${formatBytes(wantedBytes)} wanted`,
  ];
  if (shortfallBytes > 0)
    lines.push(`${formatBytes(shortfallBytes)} cannot be freed: the rest is needed, kept or a result`);
  if (refused !== undefined) lines.push(`the configured algorithm did not decide: ${refused}`);
  return lines;
}
