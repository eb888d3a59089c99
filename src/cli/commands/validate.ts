// `varve validate`: every problem of the documents, each with its place.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Output as Answer } from '../../api/api.ts';
import { formatError, VarveError } from '../../core/errors.ts';
import { checkVarveWorkflow } from '../../languages/varve/load-workflow.ts';
import type { CommandContext } from '../command.ts';
import type { CommandRun } from '../command-table.ts';
import { serverAddress, withSession } from '../session.ts';
import { documentFields, type NamedDocument, withFiles } from '../submit-workflow.ts';

type Problem = Answer<'validateWorkflow'>['problems'][number];

export const run: CommandRun<'validate'> = async ({ arguments: given }, context) => {
  const { output } = context;
  const found: { readonly path: string; readonly problems: readonly Problem[] }[] = [];
  for (const path of given.workflow) {
    const document = { path, text: await readFile(path, 'utf8') };
    const far = serverAddress(context) !== undefined;
    found.push({ path, problems: await (far ? checkThere(document, context) : checkHere(document)) });
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
          problems.length === 0
            ? [`${path}: valid`]
            : problems.map((problem) => formatError(asError(problem))),
        )
        .join('\n'),
  );
  return found.some(({ problems }) => problems.length > 0) ? 2 : 0;
};

/** Needs no home: a document is checked wherever it is. */
async function checkHere(document: NamedDocument): Promise<Problem[]> {
  return (await checkVarveWorkflow(document)).map(({ code, message, place, hint }) => ({
    code,
    message,
    ...(place ? { place } : {}),
    ...(hint ? { hint } : {}),
  }));
}

function checkThere(document: NamedDocument, context: CommandContext): Promise<Problem[]> {
  return withSession(context, async (session) => {
    const { problems } = await withFiles(session, document, (files) =>
      session.api.validateWorkflow({ ...documentFields(document), ...files }),
    );
    const written = (problem: Problem): Problem =>
      problem.place?.file === resolve(document.path)
        ? { ...problem, place: { ...problem.place, file: document.path } }
        : problem;
    return problems.map(written);
  });
}

function asError({ code, message, place, hint }: Problem): VarveError {
  return new VarveError('invalid', code, message, { place, hint });
}
