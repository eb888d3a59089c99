// An algorithm with the state it has folded so far. Events are shown once each, in order, with marks replayed from the
// events alone, so that a session that followed along and one that starts late from the same log agree.
import type { JsonObject } from '../json.ts';
import {
  type Choice,
  type DecisionAlgorithm,
  type DecisionFacts,
  datasetMarks,
  type EventLog,
  type HistoryEvent,
  type KnownDatasets,
} from '../ports/decision-algorithm.ts';
import { resized } from './dataset-table.ts';

/** Plain data of a session: survives structured cloning and `node:v8` serialisation. */
export interface SessionSnapshot {
  readonly algorithm: string;
  readonly observed: number;
  readonly marks: Uint8Array;
  readonly state: unknown;
}

export class DecisionSession {
  readonly algorithm: DecisionAlgorithm;
  #state: unknown;
  #observed = 0;
  #marks: Uint8Array = new Uint8Array(64);

  constructor(algorithm: DecisionAlgorithm, settings: JsonObject = {}, snapshot?: SessionSnapshot) {
    this.algorithm = algorithm;
    if (snapshot && snapshot.algorithm === algorithm.name) {
      this.#state = snapshot.state;
      this.#observed = snapshot.observed;
      this.#marks = snapshot.marks;
    } else this.#state = algorithm.init?.(settings);
  }

  /** How many events of the log were shown to the algorithm. */
  get observed(): number {
    return this.#observed;
  }

  /** Shows the algorithm the events that it has not seen yet. */
  catchUp(log: EventLog, known: KnownDatasets): void {
    const { algorithm } = this;
    if (!algorithm.observe) return;
    if (this.#marks.length < known.count) this.#marks = resized(this.#marks, known.identity.length);
    const view: KnownDatasets = { ...columnsOf(known), marks: this.#marks };
    for (; this.#observed < log.count; this.#observed += 1) {
      const event = log.event(this.#observed);
      replayMarks(this.#marks, event);
      this.#state = algorithm.observe(this.#state, event, view);
    }
  }

  decide(facts: DecisionFacts): Choice {
    this.catchUp(facts.history, facts.known);
    return this.algorithm.decide(facts, this.#state);
  }

  snapshot(): SessionSnapshot {
    return {
      algorithm: this.algorithm.name,
      observed: this.#observed,
      marks: this.#marks,
      state: this.#state,
    };
  }
}

function replayMarks(marks: Uint8Array, event: HistoryEvent): void {
  if (event.kind === 'run') {
    for (const d of event.computed) marks[d] = marks[d]! | datasetMarks.stored;
    for (const d of event.results) marks[d] = marks[d]! | datasetMarks.leaf;
  } else {
    for (const d of event.datasets) marks[d] = marks[d]! & ~(datasetMarks.stored | datasetMarks.leaf);
  }
}

function columnsOf(known: KnownDatasets): KnownDatasets {
  const { count, identity, sizeBytes, computeSeconds, marks, parentStart, parents } = known;
  const { uses, firstRun, lastDemandRun, lastAccessAt } = known;
  return {
    count,
    identity,
    sizeBytes,
    computeSeconds,
    marks,
    parentStart,
    parents,
    uses,
    firstRun,
    lastDemandRun,
    lastAccessAt,
  };
}
