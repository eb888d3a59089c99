// Documents as text, loaded or refused, with the problems in a form that a test can compare at a glance.
import assert from 'node:assert/strict';
import { VarveError } from '../../../src/core/errors.ts';
import type { WorkflowDefinition } from '../../../src/core/workflow.ts';
import { type LoadOptions, loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';

/** Loads text as if it stood in a folder without other files. */
export function loadText(
  text: string,
  name = 'flow.yaml',
  options: LoadOptions = {},
): Promise<WorkflowDefinition> {
  return loadVarveWorkflow({ path: `/nowhere/${name}`, text }, options);
}

/** The error with which a text is refused. */
export async function refusal(
  text: string,
  name = 'flow.yaml',
  options: LoadOptions = {},
): Promise<VarveError> {
  try {
    await loadText(text, name, options);
  } catch (error) {
    assert.ok(error instanceof VarveError, String(error));
    return error;
  }
  return assert.fail('the document was accepted');
}

/** `line:column CODE` of every problem, in order. */
export async function problemsOf(
  text: string,
  name = 'flow.yaml',
  options: LoadOptions = {},
): Promise<string[]> {
  const { problems } = await refusal(text, name, options);
  return problems.map(({ place, code }) => `${place ? `${place.line}:${place.column}` : '-'} ${code}`);
}
