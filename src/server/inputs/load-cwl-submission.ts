// Turns a submitted CWL document into a workflow. The document and its input object count to lie in the folder of the files that came
// along: what they name by relative paths is looked for there, what else they name only where the configuration allows it.
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../core/json.ts';
import type { WorkflowDefinition } from '../../core/workflow.ts';
import type { Varve } from '../../varve.ts';
import { serverErrors } from '../error-codes.ts';

export interface CwlSubmission {
  readonly text: string;
  readonly fragment?: string | undefined;
  /** Where the document and the input object count to lie on this machine. */
  readonly documentPath: string;
  readonly jobFolder: string;
  readonly job: JsonObject;
  readonly noReuse?: boolean | undefined;
}

export interface CwlGuard {
  mayRead(path: string): boolean;
  allowUrl(url: URL): string | undefined;
}

const cwlKey = /(?:^|[{,]\s*)["']?cwlVersion["']?\s*:/m;

/** Whether a document is one of the Common Workflow Language, by its name or its text. */
export function isCwl(text: string, fileName: string | undefined): boolean {
  return fileName?.endsWith('.cwl') || cwlKey.test(text);
}

export function loadCwlSubmission(
  { cwl }: Pick<Varve, 'cwl'>,
  submission: CwlSubmission,
  guard: CwlGuard,
): Promise<WorkflowDefinition> {
  const { noReuse } = submission;
  return cwl.sentWorkflow(sentDocument(submission, guard), { noReuse, allowUrl: guard.allowUrl });
}

/** Throws every problem of the document; its inputs are not looked at. */
export function checkCwlSubmission(
  { cwl }: Pick<Varve, 'cwl'>,
  submission: CwlSubmission,
  guard: CwlGuard,
): Promise<void> {
  return cwl.checkSent(sentDocument(submission, guard), { allowUrl: guard.allowUrl });
}

function sentDocument({ text, fragment, documentPath, jobFolder, job }: CwlSubmission, guard: CwlGuard) {
  const urlOf = (path: string): string => pathToFileURL(path).href;
  return {
    text,
    fragment,
    job,
    place: { document: urlOf(documentPath), job: urlOf(join(jobFolder, 'inputs.json')) },
    mayRead: (path: string) => guard.mayRead(path),
    async readFile(path: string) {
      if (!guard.mayRead(path)) throw serverErrors.SUBMIT_FILE_MISSING();
      return readFile(path, 'utf8');
    },
  };
}

/** Where a path really leads; undefined when there is nothing. */
export function realPlace(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
