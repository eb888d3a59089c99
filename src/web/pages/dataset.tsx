// A dataset: what it is, what it was made from and what was made from it, who holds it, what it would cost to make again, and its files.
import { api, downloadUrl, type Output } from '../base/api.ts';
import { bytesText, durationText, plural, shortSignature, timeText } from '../base/format.ts';
import { useLive } from '../base/live.ts';
import { attempt, tell } from '../base/notices.ts';
import { type Resource, useResource } from '../base/resource.ts';
import { go, param, setParams } from '../base/router.ts';
import { maySubmit } from '../base/session.ts';
import { confirmed } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/times.tsx';
import { DatasetFiles } from './dataset-files.tsx';
import { DatasetLineage } from './dataset-lineage.tsx';

type Dataset = Output<'getDataset'>;

const stored = (state: string): boolean => state === 'STORED' || state === 'LEAF';

export function DatasetPage({ dataset: signature }: { readonly dataset: string }) {
  const dataset = useResource(`dataset ${signature}`, () => api.getDataset({ dataset: signature }));
  useLive(
    (event) => event.kind === 'dataset' && event.dataset?.startsWith(signature) === true,
    () => dataset.soon(),
    signature,
  );
  const known = dataset.value.value;
  if (!known)
    return (
      <div class="page">
        {dataset.problem.value ? (
          <ProblemNote error={dataset.problem.value} again={() => void dataset.refresh()} />
        ) : (
          <Loading />
        )}
      </div>
    );
  const view = param('view') ?? (stored(known.state) ? 'files' : 'lineage');
  const tabs = [
    { id: 'files', text: 'Files', count: known.fileCount ?? undefined },
    { id: 'lineage', text: 'Lineage' },
    { id: 'journal', text: 'What happened', count: known.journal.length },
    { id: 'definition', text: 'Definition' },
  ];
  return (
    <div class="page">
      <PageHead
        title={known.name}
        back={{ href: '/datasets', text: 'Datasets' }}
        beside={<StateBadge of="dataset" state={known.state} />}
        about={<code>{known.dataset}</code>}
      >
        <DatasetActions dataset={known} resource={dataset} />
      </PageHead>
      <div class="grid">
        <About dataset={known} />
        <Keeping dataset={known} />
      </div>
      <Tabs
        label="Views of the dataset"
        tabs={tabs}
        chosen={view}
        onChoose={(next) => setParams({ view: next })}
      />
      <div role="tabpanel" aria-labelledby={`tab-${view}`} class="tab-body">
        {view === 'files' ? (
          <DatasetFiles dataset={known} />
        ) : view === 'lineage' ? (
          <DatasetLineage dataset={known.dataset} />
        ) : view === 'journal' ? (
          <Journal dataset={known} />
        ) : (
          <pre class="card document">{JSON.stringify(known.definition, null, 2)}</pre>
        )}
      </div>
    </div>
  );
}

function About({ dataset }: { readonly dataset: Dataset }) {
  const { producer } = dataset;
  return (
    <section class="card" aria-label="About">
      <Facts
        items={[
          [
            'Size',
            `${bytesText(dataset.sizeBytes)}${dataset.fileCount === null ? '' : ` in ${plural(dataset.fileCount, 'file')}`}`,
          ],
          [
            'Made by',
            producer ? (
              <a href={`/runs/${producer.run}?action=${producer.action}`}>
                {producer.key} of run {producer.run}
              </a>
            ) : (
              'nothing that is still known'
            ),
          ],
          ['Project', dataset.project],
          ['Made', <Ago at={dataset.storedAt ?? dataset.createdAt} />],
          ['Last used', dataset.usedAt === null ? 'not yet' : <Ago at={dataset.usedAt} />],
          ['Contents', dataset.digest ? <code>{shortSignature(dataset.digest)}</code> : null],
          ['Folder', dataset.path ? <code>{dataset.path}</code> : null],
          ['Note', dataset.nondeterministic ? 'computed twice, it had different contents' : null],
        ]}
      />
    </section>
  );
}

function Keeping({ dataset }: { readonly dataset: Dataset }) {
  return (
    <section class="card" aria-label="Price tag and claims">
      <Facts
        items={[
          [
            'Price tag',
            dataset.computeMs === null
              ? 'not known'
              : `${durationText(dataset.computeMs)} to compute again, if its inputs are there`,
          ],
          ['Used', plural(dataset.uses, 'time')],
          [
            'Held by',
            dataset.holders.length > 0
              ? dataset.holders.join(', ')
              : 'nobody: the budget may decide about it',
          ],
          [
            'Pinned',
            dataset.pinned
              ? dataset.pinnedUntil === null
                ? 'for ever'
                : `until ${timeText(dataset.pinnedUntil)}`
              : null,
          ],
        ]}
      />
      {dataset.state === 'DELETED' ? <WhyDeleted dataset={dataset.dataset} /> : null}
    </section>
  );
}

function WhyDeleted({ dataset }: { readonly dataset: string }) {
  const why = useResource(`deletion ${dataset}`, () => api.whyDeleted({ dataset }));
  const known = why.value.value;
  if (!known) return null;
  return (
    <p class="note tone-stop">
      {known.reason ?? 'Its files are gone.'}
      {known.at === null ? null : (
        <>
          {' '}
          (<Ago at={known.at} />)
        </>
      )}{' '}
      <span class="quiet">
        Given up {plural(known.timesGivenUp, 'time')}, computed {plural(known.timesComputed, 'time')}.
      </span>
    </p>
  );
}

interface DatasetActionsProps {
  readonly dataset: Dataset;
  readonly resource: Resource<Dataset>;
}

function DatasetActions({ dataset: known, resource }: DatasetActionsProps) {
  const { dataset, state, pinned } = known;
  const then = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    if (await attempt(what, done)) await resource.refresh();
  };
  const remove = async (): Promise<void> => {
    const text = `Its ${bytesText(known.sizeBytes)} are removed. What it is and how it was made stay known, and it can be computed again.`;
    if (await confirmed(`Delete the files of ${known.name}?`, text, 'Delete the files'))
      await then(() => api.deleteDataset({ dataset }), 'Deleted');
  };
  const restore = (): Promise<boolean> =>
    attempt(async () => {
      const { run } = await api.restoreDataset({ dataset, idempotencyKey: crypto.randomUUID() });
      tell(`Run ${run} computes it again`);
      go(`/runs/${run}`);
    });
  return (
    <>
      {stored(state) ? (
        <a class="button primary" href={downloadUrl(`/datasets/${dataset}/archive`)} download>
          <Icon name="download" />
          Download
        </a>
      ) : null}
      {!maySubmit.value ? null : (
        <>
          {stored(state) ? (
            <button
              type="button"
              class="button"
              onClick={() =>
                pinned
                  ? then(() => api.unpinDataset({ dataset }), 'Let go')
                  : then(() => api.pinDataset({ dataset }), 'Pinned: it stays whatever the budget says')
              }
            >
              <Icon name="pin" />
              {pinned ? 'Unpin' : 'Pin'}
            </button>
          ) : null}
          {state === 'LEAF' ? (
            <button
              type="button"
              class="button"
              title="Let go of a result, so that the budget may decide about it"
              onClick={() => then(() => api.demoteDataset({ dataset }), 'No longer a result')}
            >
              Let go
            </button>
          ) : null}
          {stored(state) ? (
            <button type="button" class="button danger" onClick={remove}>
              <Icon name="trash" />
              Delete
            </button>
          ) : null}
          {state === 'DELETED' ? (
            <button type="button" class="button primary" onClick={restore}>
              <Icon name="again" />
              Restore
            </button>
          ) : null}
        </>
      )}
    </>
  );
}

function Journal({ dataset }: { readonly dataset: Dataset }) {
  return (
    <div class="table-scroll short">
      <table aria-label="What happened to the dataset">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Event</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" class="wide">
              By
            </th>
          </tr>
        </thead>
        <tbody>
          {dataset.journal.toReversed().map((row) => (
            <tr key={`${row.at} ${row.event} ${row.toState}`}>
              <td class="tall">{timeText(row.at)}</td>
              <td>{row.event}</td>
              <td>{row.fromState === '' ? null : <StateBadge of="dataset" state={row.fromState} />}</td>
              <td>
                <StateBadge of="dataset" state={row.toState} />
              </td>
              <td class="wide">{row.actor}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
