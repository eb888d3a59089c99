// All documented errors of the package, by the part that raises them.
import type { ErrorKind } from '../core/errors.ts';
import { errorAreas } from './error-areas.ts';

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

const areas: Readonly<Record<string, { readonly declarations: Declarations }>> = errorAreas;

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
