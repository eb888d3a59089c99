// docs/reference/workflow-language.md and schema/workflow.schema.json: the workflow language from its field table.
import { workflowJsonSchema } from '../../src/languages/varve/json-schema.ts';
import { renderWorkflowReference } from '../../src/languages/varve/reference-page.ts';
import type { ReferencePage } from './reference-page.ts';

export const workflowPage: ReferencePage = {
  path: 'workflow-language.md',
  render: renderWorkflowReference,
};

export const workflowSchemaPage: ReferencePage = {
  path: '../../schema/workflow.schema.json',
  render: () => JSON.stringify(workflowJsonSchema(), null, 2),
};
