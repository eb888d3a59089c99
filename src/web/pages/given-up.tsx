// What was given up last, and why.
import { api } from '../base/api.ts';
import { bytesText } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { useResource } from '../base/resource.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { Ago } from '../parts/times.tsx';

const looked = 200;
const shown = 12;

export function GivenUp() {
  const deletions = useResource('deletions', async () => {
    const { items: found } = await api.listDatasets({
      state: ['DELETED', 'DELETING', 'STORED_TO_DELETE'],
      limit: looked,
    });
    return found
      .filter((one) => one.sizeBytes !== null)
      .toSorted(
        (a, b) => (b.deletedAt ?? Number.POSITIVE_INFINITY) - (a.deletedAt ?? Number.POSITIVE_INFINITY),
      )
      .slice(0, shown);
  });
  useLive(
    (event) => event.kind === 'dataset' && event.to === 'DELETED',
    () => deletions.soon(),
    'given up',
  );
  const items = deletions.value.value;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Given up</h2>
        <a href="/datasets?state=deleted">all deleted datasets</a>
      </div>
      {!items ? (
        <Loading />
      ) : items.length === 0 ? (
        <EmptyState title="Nothing was given up">
          <p>There was always room for everything.</p>
        </EmptyState>
      ) : (
        <ul class="rows">
          {items.map((one) => (
            <li key={one.dataset} class="stacked">
              <div class="row-line">
                <a class="clip grow" href={`/datasets/${one.dataset}`}>
                  {one.name}
                </a>
                <span class="number">{bytesText(one.sizeBytes)}</span>
                <span class="quiet">{one.deletedAt === null ? 'leaving' : <Ago at={one.deletedAt} />}</span>
              </div>
              <p class="quiet">{one.deletedReason}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
