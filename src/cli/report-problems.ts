// Checks documents of any language and prints every problem, each with its place. Near, a document is checked wherever it is, without a home.
import { resolve } from 'node:path';
import { formatError, VarveError } from '../core/errors.ts';
import type { CommandContext } from './command.ts';
import { recognizeLanguage } from './recognize-language.ts';
import { serverAddress, withSession } from './session.ts';
import { documentFields, type NamedDocument, withFiles } from './submit-workflow.ts';

/** Resolves with the exit code: 0 when all documents are valid. */
export async function reportProblems(paths: readonly string[], context: CommandContext): Promise<number> {
  const found: { readonly path: string; readonly problems: readonly VarveError[] }[] = [];
  for (const path of paths) found.push({ path, problems: await problemsOf(path, context) });
  context.output.result(
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
  const problems = found.flatMap((one) => one.problems);
  if (problems.length === 0) return 0;
  return problems.every(({ kind }) => kind === 'unsupported') ? 33 : 2;
}

async function problemsOf(path: string, context: CommandContext): Promise<readonly VarveError[]> {
  const found = await recognizeLanguage(path);
  if (found.language === 'varve') {
    if (serverAddress(context) !== undefined) return checkThere({ path, text: found.text }, context);
    const { checkVarveWorkflow } = await import('../languages/varve/load-workflow.ts');
    const { cwlFetching, toolFinder } = await import('../composition/cwl-language.ts');
    const { config } = await context.config();
    // Checking says whether a document is right; which container engine is installed here is not part of that.
    const findTool = toolFinder({ ...cwlFetching(config), container: async () => ({ engine: 'docker' }) });
    return checkVarveWorkflow({ path, text: found.text }, { findTool });
  }
  const { readDocument } = await import('./cwl/read-request.ts');
  try {
    await readDocument(path, context, { checkScripts: true });
    return [];
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return error.problems.length > 0 ? error.problems : [error];
  }
}

function checkThere(document: NamedDocument, context: CommandContext): Promise<VarveError[]> {
  return withSession(context, async (session) => {
    const { problems } = await withFiles(session, document, (files) =>
      session.api.validateWorkflow({ ...documentFields(document), ...files }),
    );
    return problems.map(({ code, message, place, hint }) => {
      const written = place?.file === resolve(document.path) ? { ...place, file: document.path } : place;
      return new VarveError('invalid', code, message, { place: written, hint });
    });
  });
}
