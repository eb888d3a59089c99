// The lineage of a dataset as a graph: ancestors, descendants or both, each dataset once.
import type { StoreView } from '../core/ports/store.ts';
import type { DatasetRow } from '../core/rows.ts';

export interface LineageNode {
  readonly id: number;
  readonly signature: string;
  readonly name: string;
  readonly state: string;
}

export interface LineageLink {
  readonly from: string;
  readonly to: string;
  readonly slot: string;
}

export interface LineageGraph {
  readonly root: LineageNode;
  readonly datasets: readonly LineageNode[];
  readonly links: readonly LineageLink[];
}

const mostChildren = 10_000;

export async function lineageGraph(
  view: StoreView,
  root: DatasetRow,
  direction: 'up' | 'down' | 'both',
  /** Only through datasets of these realms. */
  realms?: readonly string[],
): Promise<LineageGraph> {
  const rows = new Map([[root.id, root]]);
  const links = new Map<string, { from: number; to: number; slot: string }>();
  const walk = async (step: 'up' | 'down'): Promise<void> => {
    const seen = new Set([root.id]);
    for (let layer = [root.id]; layer.length > 0; ) {
      const found = step === 'up' ? await view.parentsOf(layer) : await view.childrenOf(layer, mostChildren);
      const next = new Set<number>();
      for (const { datasetId, parentId, slot } of found) {
        links.set(`${parentId} ${datasetId} ${slot}`, { from: parentId, to: datasetId, slot });
        const other = step === 'up' ? parentId : datasetId;
        if (!seen.has(other)) next.add(other);
        seen.add(other);
      }
      const fresh = await view.datasets([...next].filter((id) => !rows.has(id)));
      for (const row of fresh) if (realms?.includes(row.realm) ?? true) rows.set(row.id, row);
      layer = [...next].filter((id) => rows.has(id));
    }
  };
  if (direction !== 'down') await walk('up');
  if (direction !== 'up') await walk('down');
  const node = (row: DatasetRow): LineageNode => ({
    id: row.id,
    signature: row.signature,
    name: row.name,
    state: row.state,
  });
  const signatureOf = (id: number): string => rows.get(id)?.signature ?? '';
  return {
    root: node(root),
    datasets: [...rows.values()].map(node),
    links: [...links.values()]
      .filter(({ from, to }) => rows.has(from) && rows.has(to))
      .map(({ from, to, slot }) => ({ from: signatureOf(from), to: signatureOf(to), slot })),
  };
}
