// All generated files. A new reference is one file with a ReferencePage, and a line here.
import { join } from 'node:path';
import { cliPage } from './cli-page.ts';
import { clientOperations } from './client-operations.ts';
import { configurationPage } from './configuration-page.ts';
import { errorAreas, errorsPage } from './errors-page.ts';
import { openApiPage } from './openapi-page.ts';
import type { ReferencePage } from './reference-page.ts';
import { postgresSchema, sqliteSchema } from './schema-page.ts';
import { statesPage } from './states-page.ts';
import { workflowLanguagePage, workflowSchema } from './workflow-language-page.ts';

export const referencePages: readonly ReferencePage[] = [
  errorAreas,
  cliPage,
  configurationPage,
  errorsPage,
  statesPage,
  sqliteSchema,
  postgresSchema,
  workflowLanguagePage,
  workflowSchema,
  openApiPage,
  clientOperations,
];

const root = join(import.meta.dirname, '..', '..');

/** Every page as it should be: absolute path and contents. */
export async function renderPages(): Promise<{ path: string; text: string }[]> {
  return Promise.all(
    referencePages.map(async (page) => ({
      path: join(root, page.path),
      text: `${(await page.render()).trimEnd()}\n`,
    })),
  );
}
