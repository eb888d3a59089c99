// A state machine is a table: event → (from state → to state). Nothing else in Varve decides whether a move is legal; the
// store's transition function, the schema's check constraints and the diagrams in docs/ are all made from these tables.

export interface Machine<S extends string = string, E extends string = string> {
  /** Also the name of the table whose rows move along it. */
  readonly name: string;
  readonly about: string;
  readonly states: Readonly<Record<S, string>>;
  /** States in which a row may be born. */
  readonly initial: readonly S[];
  /** States that need no further work. */
  readonly final: readonly S[];
  readonly events: Readonly<Record<E, EventRow<S>>>;
}

export interface EventRow<S extends string> {
  /** What causes the move, in one line. */
  readonly when: string;
  readonly moves: Readonly<Partial<Record<S, S>>>;
}

/** Gives a machine literal its exact state and event names. */
export function defineMachine<S extends string, E extends string>(machine: Machine<S, E>): Machine<S, E> {
  return machine;
}

/** Where `event` leads from `state`; undefined when the table forbids it. */
export function target<S extends string, E extends string>(
  machine: Machine<S, E>,
  event: E,
  state: S,
): S | undefined {
  return machine.events[event].moves[state];
}

/** All pairs [from, to] that some event allows. */
export function legalPairs(machine: Machine): [string, string][] {
  const pairs = new Map<string, [string, string]>();
  for (const row of Object.values(machine.events)) {
    for (const [from, to] of Object.entries(row.moves)) pairs.set(`${from}>${to}`, [from, to as string]);
  }
  return [...pairs.values()];
}

export function statesOf<S extends string>(machine: Machine<S>): S[] {
  return Object.keys(machine.states) as S[];
}
