// `varve validate`: every problem of the documents, each with its place.
import { readFile } from 'node:fs/promises';
import { formatError, type VarveError } from '../../core/errors.ts';
import { checkVarveWorkflow } from '../../languages/varve/load-workflow.ts';
import type { CommandRun } from '../command-table.ts';

export const run: CommandRun<'validate'> = async ({ arguments: given }, { output }) => {
  const found: { readonly path: string; readonly problems: readonly VarveError[] }[] = [];
  for (const path of given.workflow) {
    const problems = await checkVarveWorkflow({ path, text: await readFile(path, 'utf8') });
    found.push({ path, problems });
  }
  output.result(
    found.map(({ path, problems }) => ({
      path,
      problems: problems.map(({ code, message, place, hint }) => ({
        code,
        message,
        place: place ? { ...place } : null,
        hint: hint ?? null,
      })),
    })),
    () =>
      found
        .flatMap(({ path, problems }) =>
          problems.length === 0 ? [`${path}: valid`] : problems.map(formatError),
        )
        .join('\n'),
  );
  return found.some(({ problems }) => problems.length > 0) ? 2 : 0;
};
