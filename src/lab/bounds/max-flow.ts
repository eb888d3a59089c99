// Maximum flow by Dinic's algorithm on a graph whose shape stays and whose capacities change from call to call: the lower
// bound solves the same small networks over and over under different prices.

export class FlowNetwork {
  readonly #head: Int32Array;
  readonly #next: Int32Array;
  readonly #to: Int32Array;
  readonly #capacity: Float64Array;
  readonly #level: Int32Array;
  readonly #queue: Int32Array;
  readonly #arc: Int32Array;
  #arcs = 0;

  constructor(nodes: number, edges: number) {
    this.#head = new Int32Array(nodes).fill(-1);
    this.#next = new Int32Array(edges * 2);
    this.#to = new Int32Array(edges * 2);
    this.#capacity = new Float64Array(edges * 2);
    this.#level = new Int32Array(nodes);
    this.#queue = new Int32Array(nodes);
    this.#arc = new Int32Array(nodes);
  }

  /** Adds an edge without capacity and returns its number. */
  addEdge(from: number, to: number): number {
    const edge = this.#arcs;
    this.#link(from, to);
    this.#link(to, from);
    return edge;
  }

  /** Sets an edge's capacity and takes back the flow through it. */
  setCapacity(edge: number, capacity: number): void {
    this.#capacity[edge] = capacity;
    this.#capacity[edge + 1] = 0;
  }

  /** Pushes as much as possible; capacities become residual. */
  maxFlow(source: number, sink: number): number {
    let flow = 0;
    while (this.#layer(source, sink)) {
      this.#arc.set(this.#head);
      for (;;) {
        const pushed = this.#push(source, sink, Number.POSITIVE_INFINITY);
        if (pushed <= 0) break;
        flow += pushed;
      }
    }
    return flow;
  }

  /** After `maxFlow`: true when the node is on the source's side of the cut nearest to the source. */
  onSourceSide(node: number): boolean {
    return this.#level[node]! >= 0;
  }

  #link(from: number, to: number): void {
    const arc = this.#arcs++;
    this.#to[arc] = to;
    this.#next[arc] = this.#head[from]!;
    this.#head[from] = arc;
  }

  #layer(source: number, sink: number): boolean {
    this.#level.fill(-1);
    this.#level[source] = 0;
    this.#queue[0] = source;
    let end = 1;
    for (let at = 0; at < end; at += 1) {
      const node = this.#queue[at]!;
      for (let arc = this.#head[node]!; arc >= 0; arc = this.#next[arc]!) {
        const to = this.#to[arc]!;
        if (this.#capacity[arc]! > epsilon && this.#level[to]! < 0) {
          this.#level[to] = this.#level[node]! + 1;
          this.#queue[end++] = to;
        }
      }
    }
    return this.#level[sink]! >= 0;
  }

  #push(node: number, sink: number, limit: number): number {
    if (node === sink) return limit;
    let pushed = 0;
    for (; this.#arc[node]! >= 0; this.#arc[node] = this.#next[this.#arc[node]!]!) {
      const arc = this.#arc[node]!;
      const to = this.#to[arc]!;
      if (this.#capacity[arc]! <= epsilon || this.#level[to] !== this.#level[node]! + 1) continue;
      const through = this.#push(to, sink, Math.min(limit - pushed, this.#capacity[arc]!));
      if (through <= 0) continue;
      this.#capacity[arc]! -= through;
      this.#capacity[arc ^ 1]! += through;
      pushed += through;
      if (limit - pushed <= epsilon) return pushed;
    }
    return pushed;
  }
}

/** Seconds below which a residual capacity counts as used up. */
const epsilon = 1e-9;
