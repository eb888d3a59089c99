// `varve errors [code]`: what an error code means.
import { didYouMean } from '../../core/closest.ts';
import { errorKinds } from '../../core/errors.ts';
import type { CommandRun } from '../command-table.ts';
import { errorCatalog } from '../error-catalog.ts';
import { cliErrors } from '../error-codes.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../terminal/table.ts';
import { wrapText } from '../terminal/wrap-text.ts';

export const run: CommandRun<'errors'> = async ({ arguments: { code } }, { output }) => {
  if (code === undefined) listAll(output);
  else explain(code.toUpperCase(), output);
  return undefined;
};

function listAll(output: Output): void {
  const facts = errorCatalog.map(({ code, kind, summary }) => ({ code, kind, summary }));
  output.result(facts, () => {
    const columns = [{ title: 'CODE', paint: output.style.cyan }, { title: 'KIND' }, { title: 'MEANING' }];
    const rows = facts.map((fact) => [fact.code, fact.kind, fact.summary]);
    return renderTable(columns, rows, output.style, output.columns()).join('\n');
  });
}

function explain(code: string, output: Output): void {
  const entry = errorCatalog.find((candidate) => candidate.code === code);
  if (entry === undefined) {
    const codes = errorCatalog.map((candidate) => candidate.code);
    const hint = didYouMean(code, codes);
    throw cliErrors.ERROR_CODE_UNKNOWN.with(hint ? { hint } : {}, code);
  }
  const { kind, summary, hint } = entry;
  const { meaning, exitCode, httpStatus, retry } = errorKinds[kind];
  output.result({ code, kind, summary, hint: hint ?? null, exitCode, httpStatus, retry }, () =>
    [
      output.style.bold(code),
      ...wrapText(summary, Math.min(output.columns(), 100)),
      ...(hint ? [`hint: ${hint}`] : []),
      output.style.dim(`${kind}: ${meaning} (exit code ${exitCode}, HTTP ${httpStatus}, retry ${retry})`),
    ].join('\n'),
  );
}
