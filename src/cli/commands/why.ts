// `varve why`: why each action ran or did not, down to the field that differs.
import type { Json } from '../../core/json.ts';
import { type Explanation, explainRun } from '../../engine/explain-run.ts';
import type { CommandRun } from '../command-table.ts';
import type { Output } from '../output.ts';
import { runNumber, withVarve } from '../session.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'why'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const explanations = await explainRun(varve.store.view, runNumber(given.run), given.action);
    const { output } = context;
    output.result(JSON.parse(JSON.stringify(explanations)) as Json, () =>
      given.action === undefined ? overview(explanations, output) : explanations.map(inFull).join('\n\n'),
    );
    return 0;
  });

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

function shown(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
