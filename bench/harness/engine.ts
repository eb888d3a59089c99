// What a workload asks of an engine that is measured, Varve and its peers alike. An engine is one file in bench/engines; it says whether it
// is installed, writes a graph down in its own language, and gives the command that runs it. Everything else is the same for all.

/** One action: a shell command that writes one line to a file of its own, after its parents. */
export interface Task {
  readonly id: number;
  readonly parents: readonly number[];
}

export interface Graph {
  readonly shape: Shape;
  readonly tasks: readonly Task[];
}

export type Shape = 'fan' | 'chain' | 'layers' | 'diamond';

/** What was there before the run that is measured. */
export type Scenario = 'cold' | 'reused' | 'leaf' | 'root' | 'last';

/** The shell command of a task; another edition is another command with the same output. */
export function commandOf(id: number, out: string, edition = 0): string {
  return `${edition === 0 ? '' : `: ${edition}; `}echo ${id} > ${out}`;
}

/** A graph written down in a folder, ready to be run as often as wanted. */
export interface Prepared {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Changes the definition of a task but not its output, as far as the engine can notice that; false where it cannot. */
  change?(id: number, edition: number): unknown;
  /** Deletes what tasks made that others read, and keeps the results of the graph. */
  dropIntermediates?(results: ReadonlySet<number>): void;
  /** How many outputs are there; a run that leaves fewer than tasks counts as failed. */
  outputs?(): number;
}

export interface Engine {
  readonly name: string;
  /** Its version, undefined where it is not installed. */
  version(): string | undefined;
  /** The most tasks of a shape that end within about two minutes; zero where the shape cannot be said naturally. */
  most(shape: Shape, scenario: Scenario): number;
  prepare(graph: Graph, folder: string): Prepared;
  /** What a reader has to know about how it is used. */
  readonly note?: string;
}
