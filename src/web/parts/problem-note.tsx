// What went wrong, where, and what to do about it.

interface Explained {
  readonly message?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly problems?: readonly Explained[];
  readonly place?: { readonly line: number; readonly column: number } | undefined;
}

export function ProblemNote({
  error,
  again,
}: {
  readonly error: unknown;
  readonly again?: (() => void) | undefined;
}) {
  const { message = String(error), code, hint, problems = [] } = error as Explained;
  return (
    <div class="note tone-fail" role="alert">
      <p>
        <strong>{problems.length > 1 ? `${problems.length} problems` : message}</strong>
        {code && problems.length <= 1 ? <code class="quiet"> {code}</code> : null}
      </p>
      {problems.length > 1 ? <ProblemList problems={problems} /> : null}
      {hint ? <p>{hint}</p> : null}
      {again ? (
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

export function ProblemList({ problems }: { readonly problems: readonly Explained[] }) {
  return (
    <ul class="problems">
      {problems.map((problem, i) => (
        <li key={i}>
          {problem.place ? <span class="number quiet">{`line ${problem.place.line}: `}</span> : null}
          {problem.message}
          {problem.hint ? <span class="quiet">{` – ${problem.hint}`}</span> : null}
        </li>
      ))}
    </ul>
  );
}
