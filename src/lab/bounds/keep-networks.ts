// One min-cut per run: what a run would rather find kept than compute, if keeping cost a price per byte and boundary between
// runs. Priced this way the whole history falls apart into these independent pieces; this is the core of the lower bound.
import { datasetMarks } from '../../core/ports/decision-algorithm.ts';
import { toCompute } from '../replay.ts';
import type { ReplayPlan } from '../replay-plan.ts';
import { FlowNetwork } from './max-flow.ts';

/** Dataset kept from after run `from` until it is read in run `until`. */
export interface KeptInterval {
  readonly dataset: number;
  readonly from: number;
  readonly until: number;
}

interface KeepNetwork {
  readonly run: number;
  /** Datasets that this run may need: demanded ones and ancestors, without results of earlier runs. */
  readonly datasets: Int32Array;
  /** The last earlier run in which each was needed or new. */
  readonly previous: Int32Array;
  readonly network: FlowNetwork;
  readonly keepEdges: Int32Array;
  readonly computeEdges: Int32Array;
  readonly openEdges: Int32Array;
}

export interface PricedCut {
  /** Least cost of all runs: recomputation plus what keeping costs at these prices. */
  readonly cost: number;
  readonly kept: readonly KeptInterval[];
}

const unlimited = 1e15;

export class KeepNetworks {
  readonly #plan: ReplayPlan;
  readonly #pieces: readonly KeepNetwork[];

  constructor(plan: ReplayPlan) {
    this.#plan = plan;
    this.#pieces = build(plan);
  }

  /** Datasets that any run may ever need again. */
  reusable(): number[] {
    return [...new Set(this.#pieces.flatMap((piece) => [...piece.datasets]))].sort((a, b) => a - b);
  }

  /** The cheapest mix of keeping and computing when boundary `i` (after run `i`) costs `prices[i]` per byte. */
  cut(prices: Float64Array): PricedCut {
    const { sizeBytes, computeSeconds } = this.#plan.history;
    const upTo = new Float64Array(prices.length + 1);
    for (let i = 0; i < prices.length; i += 1) upTo[i + 1] = upTo[i]! + prices[i]!;
    const kept: KeptInterval[] = [];
    let cost = 0;
    for (const piece of this.#pieces) {
      const { network, datasets, previous, run } = piece;
      for (const edge of piece.openEdges) network.setCapacity(edge, unlimited);
      datasets.forEach((d, i) => {
        network.setCapacity(piece.keepEdges[i]!, sizeBytes[d]! * (upTo[run]! - upTo[previous[i]!]!));
        network.setCapacity(piece.computeEdges[i]!, computeSeconds[d]!);
      });
      cost += network.maxFlow(source, sink);
      datasets.forEach((dataset, i) => {
        if (network.onSourceSide(wantedNode(i)) && !network.onSourceSide(madeNode(i))) {
          kept.push({ dataset, from: previous[i]!, until: run });
        }
      });
    }
    return { cost, kept };
  }
}

const source = 0;
const sink = 1;
const wantedNode = (i: number) => 2 + 2 * i;
const madeNode = (i: number) => 3 + 2 * i;

function build(plan: ReplayPlan): KeepNetwork[] {
  const { history } = plan;
  const last = new Int32Array(history.sizeBytes.length);
  const leaves = new Uint8Array(history.sizeBytes.length);
  const pieces: KeepNetwork[] = [];
  history.runs.forEach((run, j) => {
    const needed = Int32Array.from(toCompute(plan, leaves, plan.demands[j]!)).sort();
    if (needed.length > 0)
      pieces.push(
        pieceOf(
          plan,
          j,
          needed,
          needed.map((d) => last[d]!),
        ),
      );
    for (const d of needed) last[d] = j;
    const end = history.runs[j + 1]?.firstNew ?? last.length;
    last.fill(j, run.firstNew, end);
    for (const d of run.results) leaves[d] = datasetMarks.leaf;
  });
  return pieces;
}

function pieceOf(plan: ReplayPlan, run: number, datasets: Int32Array, previous: Int32Array): KeepNetwork {
  const { parentStart, parents } = plan.history;
  const at = new Map<number, number>();
  datasets.forEach((d, i) => {
    at.set(d, i);
  });
  const links: [number, number][] = [];
  for (const d of plan.demands[run]!) if (at.has(d)) links.push([source, wantedNode(at.get(d)!)]);
  datasets.forEach((d, i) => {
    for (let k = parentStart[d]!; k < parentStart[d + 1]!; k += 1) {
      const parent = at.get(parents[k]!);
      if (parent !== undefined) links.push([madeNode(i), wantedNode(parent)]);
    }
  });
  const network = new FlowNetwork(2 + 2 * datasets.length, links.length + 2 * datasets.length);
  return {
    run,
    datasets,
    previous,
    network,
    openEdges: Int32Array.from(links, ([from, to]) => network.addEdge(from, to)),
    keepEdges: datasets.map((_, i) => network.addEdge(wantedNode(i), madeNode(i))),
    computeEdges: datasets.map((_, i) => network.addEdge(madeNode(i), sink)),
  };
}
