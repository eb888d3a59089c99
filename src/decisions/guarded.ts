// Decides under guard: whatever the configured algorithm does, a valid choice comes out. Shipped algorithms run in place, a
// user's in a thread of its own. When one throws, hangs or answers what may not be carried out, the fallback decides, and
// the answer says why, for the journal.

import { VarveError } from '../core/errors.ts';
import { DecisionSession } from '../core/eviction/decision-session.ts';
import type { HistoryLog } from '../core/eviction/history-log.ts';
import { type CheckedChoice, validateChoice } from '../core/eviction/validate-choice.ts';
import type { JsonObject } from '../core/json.ts';
import type { Choice, DecisionAlgorithm, DecisionFacts } from '../core/ports/decision-algorithm.ts';
import { decisionErrors } from './error-codes.ts';
import { resolveAlgorithm } from './load-plugin.ts';
import { defaultLimits, PluginHost, type PluginLimits } from './plugin-host.ts';
import { fallbackAlgorithm, shippedAlgorithms } from './shipped.ts';
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
}

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

  /** Ends the thread of a plug-in. */
  async close(): Promise<void> {
    for (const decider of this.#deciders) await decider.close?.();
  }
}

function decider(name: string, options: GuardedOptions, settings: JsonObject): Decider {
  const shipped = Object.hasOwn(shippedAlgorithms, name) ? shippedAlgorithms[name] : undefined;
  return shipped ? inline(shipped, settings) : inThread(name, options, settings);
}

function inline(algorithm: DecisionAlgorithm, settings: JsonObject): Decider {
  const session = new DecisionSession(algorithm, settings);
  return { name: algorithm.name, reason: algorithm.reason, decide: (facts) => session.decide(facts) };
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
