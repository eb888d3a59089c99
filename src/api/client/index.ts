// What `import … from 'varve/client'` gives.
export { VarveError } from '../../core/errors.ts';
export type { Api, Input, Output } from '../api.ts';
export type { Bytes, Download } from '../route.ts';
export { type ClientOptions, VarveClient } from './client.ts';
export type { EventOptions, ServerEvent } from './events.ts';
export { ServerError } from './server-error.ts';
