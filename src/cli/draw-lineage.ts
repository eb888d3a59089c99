// A lineage graph as an indented tree, as DOT, or as an SVG picture in layers.
import type { Output } from '../api/api.ts';

type LineageGraph = Output<'getLineage'>;
type LineageNode = LineageGraph['datasets'][number];

export function drawLineage(graph: LineageGraph, format: 'text' | 'dot' | 'svg'): string {
  return { text: asText, dot: asDot, svg: asSvg }[format](graph);
}

function label(node: LineageNode): string {
  return `${node.name} ${node.signature.slice(0, 12)} ${node.state}`;
}

/** Ancestors below the dataset, one level further in each; a dataset that was drawn before is not unfolded again. */
function asText(graph: LineageGraph): string {
  const byName = new Map(graph.datasets.map((node) => [node.signature, node]));
  const up = Map.groupBy(graph.links, (link) => link.to);
  const down = Map.groupBy(graph.links, (link) => link.from);
  const lines: string[] = [];
  const draw = (next: (signature: string) => { slot: string; signature: string }[]): void => {
    const drawn = new Set<string>();
    const stack = [{ signature: graph.root, prefix: '', branch: '', slot: '' }];
    for (let item = stack.pop(); item; item = stack.pop()) {
      const { signature, prefix, branch, slot } = item;
      const again = drawn.has(signature);
      drawn.add(signature);
      const node = byName.get(signature) as LineageNode;
      const text = `${prefix}${branch}${slot === '' ? '' : `${slot}: `}${label(node)}${again ? ' (see above)' : ''}`;
      if (signature !== graph.root || lines.length === 0) lines.push(text);
      const inner = branch === '' ? prefix : prefix + (branch.startsWith('└') ? '   ' : '│  ');
      const children = again ? [] : next(signature);
      children.forEach((_, i) => {
        const child = children[children.length - 1 - i] as { slot: string; signature: string };
        stack.push({ ...child, prefix: inner, branch: i === 0 ? '└─ ' : '├─ ' });
      });
    }
  };
  draw((signature) => (up.get(signature) ?? []).map(({ from, slot }) => ({ signature: from, slot })));
  if (down.has(graph.root)) {
    lines.push('', 'used by');
    draw((signature) => (down.get(signature) ?? []).map(({ to, slot }) => ({ signature: to, slot })));
  }
  return lines.join('\n');
}

function asDot(graph: LineageGraph): string {
  const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return [
    'digraph lineage {',
    '  rankdir=LR; node [shape=box, fontname="sans-serif"];',
    ...graph.datasets.map((node) => `  ${quote(node.signature)} [label=${quote(label(node))}];`),
    ...graph.links.map(({ from, to, slot }) => `  ${quote(from)} -> ${quote(to)} [label=${quote(slot)}];`),
    '}',
  ].join('\n');
}

const box = { width: 220, height: 44, gapX: 70, gapY: 18, margin: 20 };

/** Columns by longest path from the sources. */
function asSvg(graph: LineageGraph): string {
  const layer = new Map(graph.datasets.map((node) => [node.signature, 0]));
  for (let changed = true, round = 0; changed && round <= graph.datasets.length; round++) {
    changed = false;
    for (const { from, to } of graph.links) {
      const wanted = (layer.get(from) ?? 0) + 1;
      if (wanted > (layer.get(to) ?? 0)) {
        layer.set(to, wanted);
        changed = true;
      }
    }
  }
  const columns = Map.groupBy(graph.datasets, (node) => layer.get(node.signature) ?? 0);
  const place = new Map<string, { x: number; y: number }>();
  for (const [column, nodes] of columns) {
    nodes.forEach((node, row) => {
      place.set(node.signature, {
        x: box.margin + column * (box.width + box.gapX),
        y: box.margin + row * (box.height + box.gapY),
      });
    });
  }
  const width = box.margin * 2 + (Math.max(...columns.keys()) + 1) * (box.width + box.gapX) - box.gapX;
  const height =
    box.margin * 2 +
    Math.max(...[...columns.values()].map((list) => list.length)) * (box.height + box.gapY) -
    box.gapY;
  const escaped = (text: string): string =>
    text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] as string);
  const edges = graph.links.map(({ from, to }) => {
    const a = place.get(from) as { x: number; y: number };
    const b = place.get(to) as { x: number; y: number };
    const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2];
    const bend = (x2 - x1) / 2;
    return `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="#8a93a6"/>`;
  });
  const nodes = graph.datasets.map((node) => {
    const { x, y } = place.get(node.signature) as { x: number; y: number };
    const fill = node.state === 'DELETED' ? '#f3f4f6' : node.signature === graph.root ? '#dbeafe' : '#ecfdf5';
    const dash = node.state === 'DELETED' ? ' stroke-dasharray="4 3"' : '';
    return `<g><rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6" fill="${fill}" stroke="#64748b"${dash}/><text x="${x + 10}" y="${y + 18}" font-weight="600">${escaped(node.name.slice(0, 28))}</text><text x="${x + 10}" y="${y + 34}" fill="#475569">${node.signature.slice(0, 12)} ${node.state}</text></g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">${edges.join('')}${nodes.join('')}</svg>`;
}
