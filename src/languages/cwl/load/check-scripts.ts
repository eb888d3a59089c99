// The syntax of every JavaScript expression in a document, by the engine that would run it.
import { cwlErrors } from '../error-codes.ts';
import { isContextReference } from '../expressions/parameter-reference.ts';
import { loadSandbox } from '../expressions/sandbox.ts';
import { excerpt, parseTemplate } from '../expressions/template.ts';
import type { Problems } from './problems.ts';

/** Reports scripts that are no JavaScript. */
export async function checkScripts(problems: Problems): Promise<void> {
  for (const { text, version, place } of problems.expressions) {
    for (const part of parseTemplate(text, version)) {
      if (part.kind !== 'script' || (part.reference !== undefined && isContextReference(part.reference)))
        continue;
      const reason = (await loadSandbox()).syntaxProblem(part)?.replace(/^.* fails: /s, '');
      if (reason !== undefined)
        problems.add(cwlErrors.CWL_EXPRESSION.with({ place }, excerpt(part.source), reason));
    }
  }
}
