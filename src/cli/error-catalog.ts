// All documented errors of the package, by the part that raises them; a test compares this list with the files named error-codes.ts.
import { configErrors } from '../config/error-codes.ts';
import type { ErrorKind } from '../core/errors.ts';
import { engineErrors } from '../engine/error-codes.ts';
import { languageErrors } from '../languages/varve/error-codes.ts';
import { storeErrors } from '../store/error-codes.ts';
import { cliErrors } from './error-codes.ts';

export interface ErrorEntry {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly summary: string;
  readonly hint: string | undefined;
  /** The folder below src/ whose code raises it. */
  readonly area: string;
}

type Declarations = Readonly<
  Record<string, Pick<ErrorEntry, 'kind' | 'summary'> & { readonly hint?: string }>
>;

const areas: Readonly<Record<string, { readonly declarations: Declarations }>> = {
  cli: cliErrors,
  config: configErrors,
  engine: engineErrors,
  'languages/varve': languageErrors,
  store: storeErrors,
};

/** Every error code with its explanation, in the order of the parts. */
export const errorCatalog: readonly ErrorEntry[] = Object.entries(areas).flatMap(([area, { declarations }]) =>
  Object.entries(declarations).map(([code, { kind, summary, hint }]) => ({
    code,
    kind,
    summary,
    hint,
    area,
  })),
);
