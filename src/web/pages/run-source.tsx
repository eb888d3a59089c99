// The document of a run, as it was submitted.
import { api } from '../base/api.ts';
import { useResource } from '../base/resource.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

export function RunSource({ run }: { readonly run: number }) {
  const source = useResource(`source ${run}`, () => api.getRunSource({ run }));
  const known = source.value.value;
  if (source.problem.value) return <ProblemNote error={source.problem.value} />;
  if (!known) return <Loading />;
  if (known.source === null)
    return (
      <EmptyState title="No document">
        This run was made by the server itself, not from a document.
      </EmptyState>
    );
  return (
    <div class="stack scroll">
      {known.parameters === null ? null : (
        <section class="card">
          <h2>Parameters</h2>
          <pre>{JSON.stringify(known.parameters, null, 2)}</pre>
        </section>
      )}
      <pre class="card document">{known.source}</pre>
    </div>
  );
}
