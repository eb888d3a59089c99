// All generated pages. A new reference is one file with a ReferencePage, and a line here.
import { join } from 'node:path';
import { cliPage } from './cli-page.ts';
import { configurationPage } from './configuration-page.ts';
import { errorsPage } from './errors-page.ts';
import type { ReferencePage } from './reference-page.ts';
import { statesPage } from './states-page.ts';
import { workflowPage, workflowSchemaPage } from './workflow-page.ts';

export const referencePages: readonly ReferencePage[] = [
  cliPage,
  configurationPage,
  errorsPage,
  statesPage,
  workflowPage,
  workflowSchemaPage,
];

const folder = join(import.meta.dirname, '..', '..', 'docs', 'reference');

/** Every page as it should be: absolute path and contents. */
export async function renderPages(): Promise<{ path: string; text: string }[]> {
  return Promise.all(
    referencePages.map(async (page) => ({
      path: join(folder, page.path),
      text: `${(await page.render()).trimEnd()}\n`,
    })),
  );
}
