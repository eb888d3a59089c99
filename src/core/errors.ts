// The one error class of Varve. An error has a kind from a closed set, from which HTTP status, exit code and retry
// policy follow, and a stable code that is documented in docs/reference/errors.md. Codes are declared beside the
// code that raises them, in files named `error-codes.ts`, through `defineErrors`.

export interface ErrorKindFacts {
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly retry: 'never' | 'later' | 'at-once';
  readonly meaning: string;
}

/** Every kind of failure that Varve can report, with what callers do about it. */
export const errorKinds = {
  invalid: {
    httpStatus: 422,
    exitCode: 2,
    retry: 'never',
    meaning: 'the input is wrong; the message says where',
  },
  denied: { httpStatus: 403, exitCode: 3, retry: 'never', meaning: 'the caller may not do this' },
  missing: { httpStatus: 404, exitCode: 4, retry: 'never', meaning: 'there is no such thing' },
  conflict: { httpStatus: 409, exitCode: 5, retry: 'at-once', meaning: 'somebody else changed it first' },
  unsupported: { httpStatus: 501, exitCode: 33, retry: 'never', meaning: 'known, but not available here' },
  exhausted: { httpStatus: 507, exitCode: 6, retry: 'later', meaning: 'space, memory or a limit is used up' },
  unavailable: {
    httpStatus: 503,
    exitCode: 7,
    retry: 'later',
    meaning: 'a service or a disk does not answer',
  },
  timeout: { httpStatus: 504, exitCode: 8, retry: 'later', meaning: 'it took longer than allowed' },
  cancelled: { httpStatus: 409, exitCode: 130, retry: 'never', meaning: 'somebody asked to stop' },
  failed: { httpStatus: 500, exitCode: 1, retry: 'never', meaning: 'the computation itself failed' },
  corrupt: { httpStatus: 500, exitCode: 9, retry: 'never', meaning: 'stored data is damaged' },
  bug: { httpStatus: 500, exitCode: 70, retry: 'never', meaning: 'Varve is at fault; please report it' },
} as const satisfies Record<string, ErrorKindFacts>;

export type ErrorKind = keyof typeof errorKinds;

/** A place in a document: 1-based line and column. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ErrorExtras {
  readonly place?: SourcePlace | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Further problems found in the same pass; validation reports all at once. */
  readonly problems?: readonly VarveError[] | undefined;
}

/** An expected failure: has a kind, a stable code, and a message that says what, to what, and what to do. */
export class VarveError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly place: SourcePlace | undefined;
  readonly hint: string | undefined;
  readonly problems: readonly VarveError[];

  constructor(kind: ErrorKind, code: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'VarveError';
    this.kind = kind;
    this.code = code;
    this.place = extras.place;
    this.hint = extras.hint;
    this.problems = extras.problems ?? [];
  }
}

/** Declares one documented error: its kind, what it means in general, and how its message is made from arguments. */
export interface ErrorDeclaration<A extends readonly never[]> {
  readonly kind: ErrorKind;
  /** One sentence for the error reference: when it happens and what to do. */
  readonly summary: string;
  readonly message: (...args: A) => string;
  readonly hint?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: message functions have their own argument lists
type Declarations = Record<string, ErrorDeclaration<any>>;

/** Turns declarations into functions that make errors; extras come after the message's own arguments via `.with`. */
export function defineErrors<const T extends Declarations>(
  table: T,
): {
  readonly [K in keyof T]: ((...args: Parameters<T[K]['message']>) => VarveError) & {
    with(extras: ErrorExtras, ...args: Parameters<T[K]['message']>): VarveError;
  };
} & { readonly declarations: T } {
  const made: Record<string, unknown> = { declarations: table };
  for (const [code, declaration] of Object.entries(table)) {
    const make = (extras: ErrorExtras, args: readonly unknown[]): VarveError =>
      new VarveError(declaration.kind, code, declaration.message(...(args.map(shortened) as never[])), {
        hint: declaration.hint,
        ...extras,
      });
    const plain = (...args: unknown[]): VarveError => make({}, args);
    made[code] = Object.assign(plain, {
      with: (extras: ErrorExtras, ...args: unknown[]) => make(extras, args),
    });
  }
  return made as never;
}

/** A text out of a broken document may be of any length; its beginning tells which it is. */
function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > mostText ? `${value.slice(0, mostText)}…` : value;
}

const mostText = 2000;

/** The error as a user sees it in a terminal: `file:line:column: message [CODE]` and a hint. */
export function formatError(error: VarveError): string {
  const place = error.place ? `${error.place.file}:${error.place.line}:${error.place.column}: ` : '';
  const lines = [`${place}${error.message} [${error.code}]`];
  if (error.hint) lines.push(`  hint: ${error.hint}`);
  for (const problem of error.problems) lines.push(formatError(problem));
  return lines.join('\n');
}
