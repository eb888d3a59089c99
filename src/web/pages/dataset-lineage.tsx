// What a dataset was made from, and what was made from it.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api, type Output } from '../base/api.ts';
import { plural, shortSignature } from '../base/format.ts';
import { useResource } from '../base/resource.ts';
import { go } from '../base/router.ts';
import { lookOf } from '../base/states.ts';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import { Chips } from '../parts/filters.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { StateBadge } from '../parts/state-badge.tsx';

const directions = [
  { id: 'both', text: 'Both ways' },
  { id: 'up', text: 'Made from' },
  { id: 'down', text: 'Made of it' },
] as const;

type Direction = (typeof directions)[number]['id'];

export function DatasetLineage({ dataset }: { readonly dataset: string }) {
  const direction = useSignal<Direction>('both');
  const lineage = useResource(`lineage ${dataset} ${direction.value}`, () =>
    api.getLineage({ dataset, direction: direction.value }),
  );
  const known = lineage.value.value;
  return (
    <div class="stack">
      <div class="toolbar">
        <Chips
          label="Direction"
          options={directions}
          chosen={direction.value}
          onChoose={(id) => (direction.value = id as Direction)}
        />
        {known ? <span class="quiet">{plural(known.datasets.length, 'dataset')}</span> : null}
      </div>
      {lineage.problem.value ? (
        <ProblemNote error={lineage.problem.value} />
      ) : known ? (
        <LineageGraph lineage={known} />
      ) : (
        <Loading />
      )}
    </div>
  );
}

function LineageGraph({ lineage }: { readonly lineage: Output<'getLineage'> }) {
  const shape = useMemo(() => shapeOf(lineage), [lineage]);
  const root = lineage.datasets.findIndex(({ signature }) => signature === lineage.root);
  const chosen = useSignal<number | undefined>(root < 0 ? undefined : root);
  const looked = chosen.value === undefined ? undefined : lineage.datasets[chosen.value];
  return (
    <>
      <div class="lineage">
        <GraphCanvas
          label={`Lineage with ${plural(lineage.datasets.length, 'dataset')}. Arrow keys move, enter opens a dataset.`}
          shape={shape}
          labels={shape.labels}
          edges={shape.edges}
          node={(i) => ({
            label: shape.labels[i] as string,
            tone: lookOf('dataset', lineage.datasets[i]?.state ?? '').tone,
            marked: i === root,
          })}
          chosen={chosen.value}
          version={0}
          onChoose={(i) => (chosen.value = i)}
          onOpen={(i) => go(`/datasets/${lineage.datasets[i]?.signature}?view=lineage`)}
        />
      </div>
      {looked ? (
        <p class="toolbar" role="status">
          <a href={`/datasets/${looked.signature}`}>{looked.name}</a>
          <StateBadge of="dataset" state={looked.state} />
          <code class="quiet">{shortSignature(looked.signature)}</code>
        </p>
      ) : null}
    </>
  );
}

function shapeOf({ datasets, links }: Output<'getLineage'>) {
  const index = new Map(datasets.map(({ signature }, i) => [signature, i]));
  const edges = links.flatMap(({ from, to }): [number, number][] => {
    const [a, b] = [index.get(from), index.get(to)];
    return a === undefined || b === undefined ? [] : [[a, b]];
  });
  return { labels: datasets.map(({ name }) => name), edges };
}
