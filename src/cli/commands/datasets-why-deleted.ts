// `varve datasets why-deleted`: why the files of a dataset are gone.
import type { Output } from '../../api/api.ts';
import type { JsonObject } from '../../core/json.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';

export const run: CommandRun<'datasets why-deleted'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const report = await api.whyDeleted({ dataset: given.dataset });
    const priceTag = report.priceTag as JsonObject | null;
    context.output.result({ ...report, priceTag }, () => explain({ ...report, priceTag }));
    return 0;
  });

type DeletionReport = Omit<Output<'whyDeleted'>, 'priceTag'> & { readonly priceTag: JsonObject | null };

function explain(report: DeletionReport): string {
  const who = `${report.signature.slice(0, 12)} (${report.name})`;
  if (report.at === null) {
    const before = report.timesGivenUp > 0 ? `, given up ${times(report.timesGivenUp)} before` : '';
    return `${who} is not deleted: it is ${report.state}${before}`;
  }
  const lines = [
    `${who} is ${report.state} since ${showMoment(report.at)}`,
    `  ${report.reason ?? 'no reason is known'}`,
  ];
  const tag = report.priceTag;
  if (tag) {
    const fact = (name: string, value: string | undefined): void => {
      if (value !== undefined) lines.push(`  ${name.padEnd(18)}${value}`);
    };
    const number = (key: string): number | undefined =>
      typeof tag[key] === 'number' ? (tag[key] as number) : undefined;
    const [bytes, seconds, rate] = [number('bytes'), number('recomputeSeconds'), number('reuseRate')];
    fact('decided by', typeof tag.by === 'string' ? tag.by : undefined);
    fact('freed', bytes === undefined ? undefined : formatBytes(bytes));
    fact('recompute then', seconds === undefined ? undefined : formatDuration(seconds * 1000));
    fact('uses', number('uses')?.toString());
    fact('expected uses', rate === undefined ? undefined : `${Number(rate.toPrecision(3))} per run`);
  }
  lines.push(`  given up ${times(report.timesGivenUp)}, computed ${times(report.timesComputed)}`);
  return lines.join('\n');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
