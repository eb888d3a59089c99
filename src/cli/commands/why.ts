// `varve why`: why each action ran or did not, down to the field that differs.
import type { Output as Answer } from '../../api/api.ts';
import type { Json } from '../../core/json.ts';

import type { CommandRun } from '../command-table.ts';
import type { Output } from '../output.ts';
import { runNumber, withApi } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'why'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    const one = given.action === undefined ? {} : { action: given.action };
    const { items: explanations } = await api.explainRun({ run: runNumber(given.run), ...one });
    const { output } = context;
    output.result(JSON.parse(JSON.stringify(explanations)) as Json, () =>
      given.action === undefined ? overview(explanations, output) : explanations.map(inFull).join('\n\n'),
    );
    return 0;
  });

type Explanation = Answer<'explainRun'>['items'][number];

function overview(explanations: readonly Explanation[], output: Output): string {
  const columns = [{ title: 'ACTION' }, { title: 'STATE' }, { title: 'WHY' }];
  const cells = explanations.map((one) => [one.key, one.state, one.why + firstDifference(one)]);
  return renderTable(columns, cells, output.style, output.columns()).join('\n');
}

function firstDifference({ nearest }: Explanation): string {
  const first = nearest?.differences[0];
  if (!nearest || !first) return '';
  return `; differs from ${nearest.signature.slice(0, 12)} in ${first.path}`;
}

function inFull(one: Explanation): string {
  const lines = [
    `${one.key} (${one.name}) is ${one.state}: ${one.why} [${one.code}]`,
    `  signature ${one.signature}`,
  ];
  if (one.nearest) {
    lines.push(
      `  nearest earlier dataset ${one.nearest.signature.slice(0, 12)} (${one.nearest.state}) differs in:`,
    );
    for (const { path, before, now } of one.nearest.differences) {
      lines.push(`    ${path}`, `      before: ${shown(before)}`, `      now:    ${shown(now)}`);
    }
  }
  return lines.join('\n');
}

function shown(value: unknown): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
