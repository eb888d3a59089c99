// The library: what `import … from 'varve'` gives.

export { type ErrorKind, errorKinds, formatError, type SourcePlace, VarveError } from './core/errors.ts';
export { version } from './version.ts';
