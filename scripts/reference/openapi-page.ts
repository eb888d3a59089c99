// schema/openapi.json: the REST API, from the contract in src/api/.
import { openApiDocument } from '../../src/api/openapi.ts';
import type { ReferencePage } from './reference-page.ts';

export const openApiPage: ReferencePage = {
  path: 'schema/openapi.json',
  render: () => JSON.stringify(openApiDocument(), null, 2),
};
