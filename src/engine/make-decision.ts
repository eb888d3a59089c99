// One decision: the history is brought up to date, what is there is looked at, the algorithm is asked, and its choice becomes a priced
// plan, which is applied or only told. The maker keeps the history between decisions, so that each reads only what is new.
import type { KeepRule } from '../core/eviction/keep-rules.ts';
import { ruleText } from '../core/eviction/keep-rules.ts';
import { recomputeSeconds } from '../core/eviction/recompute-cost.ts';
import type { Decider } from '../core/ports/decider.ts';
import type { KnownDatasets } from '../core/ports/decision-algorithm.ts';
import { formatBytes } from '../core/units.ts';
import { refusedComing } from './admission.ts';
import { applyChoice, givenUpEvent, refuseComing } from './apply-choice.ts';
import type { DecisionLease } from './decision-lease.ts';
import { by, type EngineContext } from './engine-context.ts';
import { HistoryFacts } from './history-facts.ts';
import type { HistoryKeeper } from './keep-history.ts';
import { decisionEntity } from './list-decisions.ts';
import { type Space, stayingBytes } from './measure-space.ts';
import { lookAround, type Present } from './present-facts.ts';
import { type PricedDataset, priceChoice } from './price-choice.ts';
import { recordHistory } from './record-history.ts';

export interface Decision {
  /** Name of the algorithm that decided; undefined when nothing had to be freed. */
  readonly by: string | undefined;
  /** Why the configured algorithm did not decide, if it did not. */
  readonly refused: string | undefined;
  readonly wantedBytes: number;
  readonly freedBytes: number;
  /** What could not be freed, because everything else is claimed, kept or a result. */
  readonly shortfallBytes: number;
  readonly givenUp: readonly PricedDataset[];
  /** How many datasets that are being computed will not be kept. */
  readonly notAdmitted: number;
}

export interface DecisionMaker {
  /** Decides under the lease and gives up what was chosen. */
  decide(lease: DecisionLease, bytesToFree: number, space?: Space): Promise<Decision>;
  /** What a decision would be at this moment. Gives up nothing; without a lease it knows only what others have recorded. */
  foresee(lease: DecisionLease | undefined, bytesToFree: number): Promise<Decision>;
  /** Shows the history as it is recorded, brought up to date; the body must not keep or change it. */
  remember<T>(lease: DecisionLease | undefined, body: (history: HistoryFacts) => T | Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Missing ancestors that are added up for the price of a dataset that goes by a rule. */
const ruledAncestors = 256;

const nothing = {
  by: undefined,
  refused: undefined,
  freedBytes: 0,
  shortfallBytes: 0,
  givenUp: [],
  notAdmitted: 0,
};

export function createDecisionMaker(
  context: EngineContext,
  makeDecider: () => Promise<Decider>,
  keeper?: HistoryKeeper | undefined,
): DecisionMaker {
  const { store, clock } = context;
  let history = new HistoryFacts();
  let decider: Promise<Decider> | undefined;
  let learnt: Uint8Array | undefined;
  let recalled = false;
  /** What is known is kept after a decision, while nobody waits; it must not change until that is done. */
  let keeping: Promise<void> = Promise.resolve();

  async function decided(): Promise<Decider> {
    const made = await (decider ??= makeDecider());
    if (learnt) made.recall?.(learnt);
    learnt = undefined;
    return made;
  }

  async function recall(): Promise<void> {
    recalled = true;
    const found = await keeper?.recall(store.view);
    if (!found) return;
    history = found.history;
    learnt = found.learnt;
  }

  /** A history that was left half-way is built again from what is recorded; what was learnt from it is learnt again. */
  async function startAnew(): Promise<void> {
    history = new HistoryFacts();
    learnt = undefined;
    const before = decider;
    decider = undefined;
    await before?.then((one) => one.close()).catch(() => {});
  }

  /** Runs the body with everything that ended recorded and taken in. */
  async function upToDate<T>(lease: DecisionLease | undefined, body: () => T | Promise<T>): Promise<T> {
    await keeping;
    try {
      if (!recalled) await recall();
      if (lease) await recordHistory(store.view, lease);
      await history.catchUp(store.survey);
      return await body();
    } catch (error) {
      await startAnew();
      throw error;
    } finally {
      keeping = keep();
    }
  }

  /** Failing to keep what can be read again is no reason to fail. */
  async function keep(): Promise<void> {
    await keeper?.keep(store.view, history, await decider?.catch(() => undefined)).catch(() => {});
  }

  const withPresent = <T>(
    lease: DecisionLease | undefined,
    body: (present: Present) => Promise<T>,
  ): Promise<T> =>
    upToDate(lease, async () => {
      const present = await lookAround(store.survey, history, await keepingRules(context));
      try {
        if (lease) await noteGone(lease, present.gone);
        return await body(present);
      } finally {
        present.end();
      }
    });

  async function noteGone(lease: DecisionLease, gone: Int32Array): Promise<void> {
    if (gone.length === 0) return;
    const ids = Array.from(gone, (number) => history.numbers.row(number));
    const at = clock.now();
    const seq = await lease.write((tx) => tx.appendHistory([givenUpEvent(at, ids)]));
    if (seq !== undefined) history.takeGone(seq, at, gone);
  }

  const plan = async (present: Present, bytesToFree: number): Promise<Decision> =>
    planDecision(context, await decided(), history, present, bytesToFree);

  return {
    decide: (lease, bytesToFree, space) =>
      withPresent(lease, async (present) => {
        const planned = await plan(present, bytesToFree);
        const applied = await applyChoice(context, lease, planned.givenUp);
        const coming =
          space && applied && planned.by !== undefined
            ? await refusedComing(
                context,
                await (decider as Promise<Decider>),
                history,
                present,
                applied,
                stayingBytes(space) - space.lowBytes,
              )
            : [];
        const notAdmitted = await refuseComing(context, lease, coming);
        const decision = withApplied(planned, applied ?? [], notAdmitted);
        await noteDecision(context, lease, decision);
        return decision;
      }),
    foresee: (lease, bytesToFree) => withPresent(lease, (present) => plan(present, bytesToFree)),
    remember: (lease, body) => upToDate(lease, () => body(history)),
    async close() {
      await keeping;
      await (await decider)?.close();
    },
  };
}

async function planDecision(
  context: EngineContext,
  decider: Decider,
  history: HistoryFacts,
  present: Present,
  bytesToFree: number,
): Promise<Decision> {
  const { table, log } = history.past;
  const newest = Math.max(0, log.runs - 1);
  const ruled = present.unwanted.flatMap((one) => unwantedByRule(present, one, table, newest));
  const freedByRule = ruled.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { number } of present.unwanted) table.marks[number] = 0;
  const wantedBytes = Math.max(0, Math.ceil(bytesToFree - freedByRule));
  if (wantedBytes === 0) {
    return { ...nothing, wantedBytes: bytesToFree, freedBytes: freedByRule, givenUp: ruled };
  }
  const facts = present.facts(context.clock.now(), wantedBytes);
  const decided = await decider.decide(facts, history.past.log);
  const chosen = await priceChoice(facts, decided.choice, present.rowOf, decided.by, decided.reason);
  return {
    by: decided.by,
    refused: decided.refused && `${decided.refused.message} [${decided.refused.code}]`,
    wantedBytes: bytesToFree,
    freedBytes: freedByRule + decided.checked.freedBytes,
    shortfallBytes: decided.checked.shortfallBytes,
    givenUp: [...ruled, ...chosen],
    notAdmitted: 0,
  };
}

function unwantedByRule(
  present: Present,
  { number, rule }: Present['unwanted'][number],
  known: KnownDatasets,
  newestRun: number,
): PricedDataset[] {
  const row = present.rowOf(number);
  if (!row) return [];
  return [
    {
      row,
      bytes: known.sizeBytes[number] as number,
      recomputeSeconds: recomputeSeconds(known, known.marks, number, ruledAncestors),
      uses: known.uses[number] as number,
      idleRuns: newestRun - (known.lastDemandRun[number] as number),
      reuseRate: undefined,
      score: undefined,
      by: `rule ${rule.id}`,
      text: `the rule says: ${ruleText(rule, formatBytes)}`,
    },
  ];
}

function withApplied(planned: Decision, applied: readonly PricedDataset[], notAdmitted: number): Decision {
  const freedBytes = applied.reduce((sum, { bytes }) => sum + bytes, 0);
  return { ...planned, givenUp: applied, freedBytes, notAdmitted };
}

async function noteDecision(context: EngineContext, lease: DecisionLease, decision: Decision): Promise<void> {
  if (decision.by === undefined && decision.givenUp.length === 0) return;
  const { givenUp, refused, by: algorithm, ...figures } = decision;
  const detail = {
    ...figures,
    algorithm: algorithm ?? null,
    refused: refused ?? null,
    datasets: givenUp.length,
  };
  await lease.write((tx) => tx.note('dataset', decisionEntity, null, 'decision', detail, by(context)));
}

async function keepingRules({ store }: Pick<EngineContext, 'store'>): Promise<KeepRule[]> {
  return (await store.view.keepRules()).filter((rule) => rule.effect !== 'leaf-quota');
}
