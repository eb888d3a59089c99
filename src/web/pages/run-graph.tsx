// The graph of a run in the colours of its states; scatters and sub-workflows can be closed to one node.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { countText, plural } from '../base/format.ts';
import type { Tone } from '../base/states.ts';
import { toneOrder } from '../base/states.ts';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import type { GraphModel, VisibleNode } from '../graph/graph-model.ts';
import type { PaintedNode } from '../graph/painter.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import type { ToneCounts } from '../parts/progress-bar.tsx';

export interface RunViewProps {
  readonly model: GraphModel;
  readonly version: number;
  readonly chosen: number | undefined;
  readonly onChoose: (action: number | undefined) => void;
}

/** A graph that is larger is shown with its groups closed. */
const mostOpen = 80;

export function RunGraph({ model, version, chosen, onChoose }: RunViewProps) {
  const asFound = model.size <= mostOpen ? [...model.groups.keys()] : [];
  const opened = useSignal<ReadonlySet<string> | undefined>(undefined);
  const open = opened.value ?? new Set(asFound);
  const openKey = [...open].sort().join(' ');
  const visible = useMemo(() => model.visible(open), [model, openKey]);
  const labels = useMemo(() => visible.nodes.map((node) => labelOf(node)), [visible]);
  const group = useSignal<string | undefined>(undefined);
  const chosenAction = chosen === undefined ? undefined : model.indexOf(chosen);
  const at = visible.nodes.findIndex(({ id, action }) =>
    group.value === undefined ? action !== undefined && action === chosenAction : id === group.value,
  );
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    opened.value = next;
  };
  if (model.size === 0)
    return (
      <EmptyState title="No actions to draw">
        <p>The details of this run are no longer kept, or its workflow has no actions.</p>
      </EmptyState>
    );
  const closed = [...model.groups.keys()].filter((id) => !open.has(id)).length;
  return (
    <GraphCanvas
      label={`Graph of run ${model.run} with ${plural(model.size, 'action')}. Arrow keys move between actions, space opens a group; the tab Actions shows the same as a table.`}
      shape={visible}
      labels={labels}
      edges={visible.edges}
      node={(i) => paintedNode(model, visible.nodes[i] as VisibleNode, labels[i] as string)}
      chosen={at < 0 ? undefined : at}
      version={version}
      onChoose={(i) => {
        const node = i === undefined ? undefined : visible.nodes[i];
        group.value = node?.group?.id;
        onChoose(node?.action === undefined ? undefined : model.ids[node.action]);
      }}
      onOpen={(i) => {
        const node = visible.nodes[i];
        if (node?.group) toggle(node.group.id);
        else if (node?.action !== undefined) onChoose(model.ids[node.action]);
      }}
    >
      {model.groups.size > 0 ? (
        <button
          type="button"
          class="button small"
          onClick={() => {
            opened.value = closed > 0 ? new Set(model.groups.keys()) : new Set();
          }}
        >
          {closed > 0 ? 'Open groups' : 'Close groups'}
        </button>
      ) : null}
    </GraphCanvas>
  );
}

function labelOf({ label, group }: VisibleNode): string {
  return group ? `${label} × ${countText(group.members.length)}` : label;
}

function paintedNode(model: GraphModel, { action, group }: VisibleNode, label: string): PaintedNode {
  if (action !== undefined) return { label, tone: model.toneOf(action), marked: model.results[action] };
  const parts = model.countTones(group?.members ?? []);
  return { label, tone: toneOfParts(parts), parts };
}

/** What a closed group is most: what needs attention first. */
function toneOfParts(parts: ToneCounts): Tone {
  const attention: readonly Tone[] = ['fail', 'run', 'stop', 'ready', 'wait'];
  return attention.find((tone) => parts[tone]) ?? toneOrder.find((tone) => parts[tone]) ?? 'wait';
}
