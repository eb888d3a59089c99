// The measuring core: one graph in all states by all engines that are asked, taking turns, so that whatever else the machine does hits
// all alike. Every round gives each engine one run; the order turns round. The result is a ratio of medians.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Effort, effortLeft } from './effort.ts';
import type { Engine, Graph, Prepared, Scenario } from './engine.ts';
import { leavesOf } from './graphs.ts';
import { median, type Timing, timed } from './measure.ts';
import type { Point } from './results.ts';
import { say } from './terminal.ts';

/** Why there is no figure; the page shows the first as a dash. */
export const unsaid = 'it has no such thing';
export const tooLong = 'would take too long';

/** What is done to a graph that ran before, before each run that is measured; false where the engine would not notice it. */
const alter: Readonly<Record<Scenario, (graph: Graph, prepared: Prepared, edition: number) => unknown>> = {
  cold: () => true,
  reused: () => true,
  leaf: (graph, prepared, edition) => prepared.change!(leavesOf(graph)[0]!, edition),
  root: (graph, prepared, edition) => prepared.change!(graph.tasks[0]!.id, edition),
  last(graph, prepared, edition) {
    prepared.dropIntermediates!(new Set(leavesOf(graph)));
    return prepared.change!(graph.tasks.at(-1)!.id, edition);
  },
};

const possible: Readonly<Record<Scenario, (graph: Graph, prepared: Prepared) => boolean>> = {
  cold: () => true,
  reused: () => true,
  leaf: (_, prepared) => prepared.change !== undefined,
  root: (_, prepared) => prepared.change !== undefined,
  last: (graph, prepared) =>
    graph.shape !== 'fan' && prepared.change !== undefined && prepared.dropIntermediates !== undefined,
};

/** An engine with the graph written down for it, from its first run to its last. */
class Entrant {
  readonly engine: Engine;
  readonly #graph: Graph;
  #folder: string | undefined;
  #prepared: Prepared | undefined;
  #ran = false;
  #edition = 0;

  constructor(engine: Engine, graph: Graph) {
    this.engine = engine;
    this.#graph = graph;
  }

  /** One run in the given state; undefined where the engine has no such state. */
  run(scenario: Scenario): Timing | undefined {
    if (scenario === 'cold') this.forget();
    this.#folder ??= mkdtempSync(join(tmpdir(), 'varve-bench-run-'));
    this.#prepared ??= this.engine.prepare(this.#graph, this.#folder);
    if (!possible[scenario](this.#graph, this.#prepared)) return undefined;
    if (scenario !== 'cold' && !this.#ran) this.#measure('cold');
    this.#edition += 1;
    if (alter[scenario](this.#graph, this.#prepared, this.#edition) === false) return undefined;
    return this.#measure(scenario);
  }

  forget(): void {
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#prepared = undefined;
    this.#ran = false;
  }

  #measure(scenario: Scenario): Timing {
    const timing = timed(this.#prepared!);
    this.#ran = true;
    const made = this.#prepared!.outputs?.();
    // Intermediates that nothing needed stay away; everything else has to be there.
    const expected = scenario === 'last' ? leavesOf(this.#graph).length : this.#graph.tasks.length;
    if (made !== undefined && made < expected)
      throw new Error(`${this.engine.name} made ${made} of ${expected} outputs`);
    return timing;
  }
}

interface Lane {
  readonly entrant: Entrant;
  readonly timings: Timing[];
  missing: string | undefined;
}

function runLane(lane: Lane, scenario: Scenario): void {
  const { engine } = lane.entrant;
  try {
    const timing = lane.entrant.run(scenario);
    if (timing) lane.timings.push(timing);
    else lane.missing = unsaid;
  } catch (error) {
    const { message } = error as Error;
    lane.missing = `failed: ${message.split('\n').at(-2)?.slice(0, 200)}`;
    say('');
    console.error(`${engine.name}: ${message}`);
    // What a failed run left behind would not be the state that is asked for.
    lane.entrant.forget();
  }
}

function pointOf(graph: Graph, scenario: Scenario, { entrant, timings, missing }: Lane): Point {
  return {
    workload: graph.shape,
    scenario,
    size: graph.tasks.length,
    engine: entrant.engine.name,
    seconds: timings.map(({ seconds }) => Number(seconds.toFixed(4))),
    peakMegabytes: timings.length > 0 ? Math.round(median(timings.map((t) => t.peakMegabytes))) : 0,
    ...(missing === undefined ? {} : { missing }),
  };
}

/** Measures all engines on one graph, state by state; gives the points of a state as soon as they are there. */
export function* compareEngines(
  graph: Graph,
  scenarios: readonly Scenario[],
  engines: readonly Engine[],
  effort: Effort,
): Iterable<readonly Point[]> {
  const size = graph.tasks.length;
  const entrants = engines.map((engine) => new Entrant(engine, graph));
  try {
    for (const scenario of scenarios) {
      if (!effortLeft(effort)) return;
      const lanes = entrants.map((entrant): Lane => {
        const missing = effort.reasonAgainst(entrant.engine, graph.shape, scenario, size);
        return { entrant, timings: [], missing };
      });
      for (let round = 0; round < effort.rounds; round += 1) {
        for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
          const spent = lane.timings.reduce((sum, { seconds }) => sum + seconds, 0);
          const enough = lane.timings.length > 0 && (spent > effort.pointSeconds || !effortLeft(effort));
          if (lane.missing !== undefined || enough) continue;
          const { name } = lane.entrant.engine;
          say(`${graph.shape} ${size} ${scenario}: ${name}, round ${round + 1} of ${effort.rounds}`);
          runLane(lane, scenario);
        }
      }
      say('');
      yield lanes.map((lane) => pointOf(graph, scenario, lane));
    }
  } finally {
    for (const entrant of entrants) entrant.forget();
  }
}
