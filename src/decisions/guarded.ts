// Decides under guard: whatever the configured algorithm does, a valid choice comes out. A user's algorithm runs in a thread of
// its own, and so does a shipped one where there is much to think about, so that the process has its hands free. When one throws, hangs
// or answers what may not be carried out, the fallback decides, and the answer says why, for the journal.

import { VarveError } from '../core/errors.ts';
import { DecisionSession, type SessionSnapshot } from '../core/eviction/decision-session.ts';
import type { HistoryLog } from '../core/eviction/history-log.ts';
import { type CheckedChoice, validateChoice } from '../core/eviction/validate-choice.ts';
import type { JsonObject } from '../core/json.ts';
import { joinParts, packData, unpackData } from '../core/packed-data.ts';
import type { Choice, DecisionAlgorithm, DecisionFacts } from '../core/ports/decision-algorithm.ts';
import { decisionErrors } from './error-codes.ts';
import { resolveAlgorithm } from './load-plugin.ts';
import { defaultLimits, PluginHost, type PluginLimits } from './plugin-host.ts';
import { fallbackAlgorithm, shippedAlgorithms, shippedModule } from './shipped.ts';
import { size } from './size.ts';

export interface GuardedOptions {
  /** Name of a shipped algorithm, path of a file, or name of a package. */
  readonly algorithm: string;
  /** Who takes over from it, named likewise. */
  readonly fallback?: string | undefined;
  /** Folder from which files and packages are looked up. */
  readonly folder: string;
  readonly settings?: JsonObject | undefined;
  readonly limits?: PluginLimits | undefined;
  /** Known datasets from which a shipped algorithm runs in a thread. */
  readonly threadFrom?: number | undefined;
}

/** Below, a decision takes a few hundredths of a second at most. */
const defaultThreadFrom = 20_000;
/** A shipped algorithm ends; the limit is for a machine that does not. */
const shippedLimits: PluginLimits = { timeMs: 600_000, memoryMegabytes: 2048 };

export interface GuardedChoice {
  readonly choice: Choice;
  readonly checked: CheckedChoice;
  /** Name of the algorithm that made the choice. */
  readonly by: string;
  /** Phrase that completes "was given up because it …". */
  readonly reason: string;
  /** Why the configured algorithm did not decide, if it did not. */
  readonly refused: VarveError | undefined;
}

interface Decider {
  readonly name: string;
  readonly reason: string;
  decide(facts: DecisionFacts, log: HistoryLog): Choice | Promise<Choice>;
  learnt?(): Promise<Uint8Array | undefined>;
  recall?(learnt: Uint8Array): void;
  close?(): Promise<void>;
}

export class GuardedDecider {
  /** In order of preference; the last is too simple to fail. */
  readonly #deciders: readonly Decider[];

  constructor(options: GuardedOptions) {
    const { algorithm, fallback = fallbackAlgorithm, settings = {} } = options;
    this.#deciders = [
      decider(algorithm, options, settings),
      decider(fallback, options, {}),
      inline(size, {}),
    ];
  }

  /** A choice that passed validation. `log` is the one behind `facts.history`. */
  async decide(facts: DecisionFacts, log: HistoryLog): Promise<GuardedChoice> {
    let refused: VarveError | undefined;
    for (const decider of this.#deciders) {
      try {
        const choice = await decider.decide(facts, log);
        const checked = validateChoice(facts, choice);
        const [first, ...others] = checked.problems;
        if (first) throw decisionErrors.DECISION_CHOICE_REFUSED(decider.name, first.message, others.length);
        return { choice, checked, by: decider.name, reason: decider.reason, refused };
      } catch (error) {
        refused ??= asError(decider.name, error);
      }
    }
    throw refused;
  }

  async learnt(): Promise<Uint8Array | undefined> {
    return this.#deciders[0]?.learnt?.();
  }

  recall(learnt: Uint8Array): void {
    this.#deciders[0]?.recall?.(learnt);
  }

  /** Ends the thread of a plug-in. */
  async close(): Promise<void> {
    for (const decider of this.#deciders) await decider.close?.();
  }
}

function decider(name: string, options: GuardedOptions, settings: JsonObject): Decider {
  const shipped = Object.hasOwn(shippedAlgorithms, name) ? shippedAlgorithms[name] : undefined;
  return shipped
    ? shippedDecider(shipped, settings, options.threadFrom ?? defaultThreadFrom)
    : inThread(name, options, settings);
}

function inline(algorithm: DecisionAlgorithm, settings: JsonObject): Decider {
  const session = new DecisionSession(algorithm, settings);
  return { name: algorithm.name, reason: algorithm.reason, decide: (facts) => session.decide(facts) };
}

/** In place while there is little to think about, then in a thread; what was learnt in place is learnt again there. */
function shippedDecider(algorithm: DecisionAlgorithm, settings: JsonObject, threadFrom: number): Decider {
  const { name, reason } = algorithm;
  let session: DecisionSession | undefined;
  let host: PluginHost | undefined;
  let recalled: Uint8Array | undefined;
  return {
    name,
    reason,
    decide(facts, log) {
      const before = recalled;
      recalled = undefined;
      if (facts.known.count >= threadFrom || host) {
        session = undefined;
        host ??= new PluginHost(name, shippedModule(name) as string, settings, shippedLimits, before);
        return host.decide(facts, log);
      }
      session ??= new DecisionSession(algorithm, settings, before && (unpackData(before) as SessionSnapshot));
      return session.decide(facts);
    },
    learnt: async () => host?.learnt() ?? (session && joinParts(packData(session.snapshot()))),
    recall(learnt) {
      recalled = learnt;
    },
    close: async () => host?.close(),
  };
}

/** Looked up at the first decision: a plug-in that is missing is a reason for the fallback, not for stopping. */
function inThread(algorithm: string, options: GuardedOptions, settings: JsonObject): Decider {
  const { folder } = options;
  let host: PluginHost | undefined;
  return {
    name: algorithm,
    reason: `was ranked lowest by ${algorithm}`,
    decide(facts, log) {
      host ??= new PluginHost(
        algorithm,
        resolveAlgorithm(algorithm, folder),
        settings,
        options.limits ?? defaultLimits,
      );
      return host.decide(facts, log);
    },
    close: async () => host?.close(),
  };
}

function asError(name: string, error: unknown): VarveError {
  if (error instanceof VarveError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return decisionErrors.DECISION_PLUGIN_FAILED.with({ cause: error }, name, message);
}
