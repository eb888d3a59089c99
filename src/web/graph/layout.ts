// Where the nodes of a graph go, from left to right. Small graphs are laid out by dagre, with few crossings; large ones, for which that
// would take minutes, in columns by depth, each ordered by where its parents are.
import dagre from '@dagrejs/dagre';
import { depths } from './graph-model.ts';

export interface LayoutRequest {
  readonly widths: readonly number[];
  readonly height: number;
  readonly edges: readonly (readonly [number, number])[];
}

export interface Layout {
  /** Left upper corners: x, y of each node. */
  readonly places: Float32Array;
  readonly width: number;
  readonly height: number;
}

const mostForDagre = 260;
const columnGap = 56;
const rowGap = 12;
/** A column of unrelated nodes that is longer is broken into several, so that the whole is about as wide as a screen. */
const longestColumn = 24;
const screenShape = 1.7;

export function layOut(request: LayoutRequest): Layout {
  const { widths, edges } = request;
  return widths.length + edges.length / 2 <= mostForDagre ? byDagre(request) : byColumns(request);
}

function byDagre({ widths, height, edges }: LayoutRequest): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: rowGap, ranksep: columnGap, edgesep: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [i, width] of widths.entries()) graph.setNode(String(i), { width, height });
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  const places = new Float32Array(widths.length * 2);
  widths.forEach((width, i) => {
    const { x = 0, y = 0 } = graph.node(String(i));
    places[2 * i] = x - width / 2;
    places[2 * i + 1] = y - height / 2;
  });
  return bounded(places, widths, height);
}

function byColumns({ widths, height, edges }: LayoutRequest): Layout {
  const count = widths.length;
  const depth = depths(count, edges);
  const columns: number[][] = [];
  for (let i = 0; i < count; i += 1) (columns[depth[i] as number] ??= []).push(i);
  const parents: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) parents[to]?.push(from);
  const places = new Float32Array(count * 2);
  let x = 0;
  for (const column of columns) {
    const wanted = new Map(
      column.map((i, at) => [i, middleOf(parents[i] ?? [], places, at * (height + rowGap))]),
    );
    column.sort((a, b) => (wanted.get(a) as number) - (wanted.get(b) as number));
    x = placeColumn(column, x, { widths, height, places });
  }
  return bounded(places, widths, height);
}

function middleOf(parents: readonly number[], places: Float32Array, otherwise: number): number {
  if (parents.length === 0) return otherwise;
  return parents.reduce((sum, parent) => sum + (places[2 * parent + 1] as number), 0) / parents.length;
}

/** Returns where the next column begins. */
function placeColumn(
  column: readonly number[],
  left: number,
  { widths, height, places }: { widths: readonly number[]; height: number; places: Float32Array },
): number {
  let x = left;
  const widest = Math.max(...column.map((i) => widths[i] as number));
  const square = Math.sqrt((screenShape * column.length * (height + rowGap)) / (widest + 16));
  const pieces = column.length <= longestColumn ? 1 : Math.max(1, Math.round(square));
  const length = Math.ceil(column.length / pieces);
  for (let start = 0; start < column.length; start += length) {
    const piece = column.slice(start, start + length);
    const top = (-piece.length * (height + rowGap)) / 2;
    piece.forEach((i, at) => {
      places[2 * i] = x;
      places[2 * i + 1] = top + at * (height + rowGap);
    });
    x +=
      Math.max(...piece.map((i) => widths[i] as number)) + (start + length < column.length ? 16 : columnGap);
  }
  return x;
}

/** Moved so that everything begins at 0, 0. */
function bounded(places: Float32Array, widths: readonly number[], height: number): Layout {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
  for (let i = 0; i < widths.length; i += 1) {
    left = Math.min(left, places[2 * i] as number);
    top = Math.min(top, places[2 * i + 1] as number);
  }
  for (let i = 0; i < widths.length; i += 1) {
    places[2 * i] = (places[2 * i] as number) - left;
    places[2 * i + 1] = (places[2 * i + 1] as number) - top;
    right = Math.max(right, (places[2 * i] as number) + (widths[i] as number));
    bottom = Math.max(bottom, (places[2 * i + 1] as number) + height);
  }
  return { places, width: right, height: bottom };
}
