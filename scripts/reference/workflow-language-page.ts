// docs/reference/workflow-language.md and the JSON Schema for editors, from the field table of the language.
import { workflowJsonSchema } from '../../src/languages/varve/json-schema.ts';
import { renderWorkflowReference } from '../../src/languages/varve/reference-page.ts';
import type { ReferencePage } from './reference-page.ts';

export const workflowLanguagePage: ReferencePage = {
  path: 'docs/reference/workflow-language.md',
  render: renderWorkflowReference,
};

export const workflowSchema: ReferencePage = {
  path: 'schema/workflow.schema.json',
  render: () => JSON.stringify(workflowJsonSchema(), null, 2),
};
