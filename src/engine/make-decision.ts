// One decision: the history is brought up to date, what is there is looked at, the algorithm is asked, and its choice becomes a priced
// plan, which is applied or only told. The maker keeps the history between decisions, so that each reads only what is new.
import type { KeepRule } from '../core/eviction/keep-rules.ts';
import { ruleText } from '../core/eviction/keep-rules.ts';
import type { Decider } from '../core/ports/decider.ts';
import { formatBytes } from '../core/units.ts';
import { refusedComing } from './admission.ts';
import { applyChoice, givenUpEvent, refuseComing } from './apply-choice.ts';
import type { DecisionLease } from './decision-lease.ts';
import { by, type EngineContext } from './engine-context.ts';
import { HistoryFacts } from './history-facts.ts';
import { decisionEntity } from './list-decisions.ts';
import { type Space, stayingBytes } from './measure-space.ts';
import { lookAround, type Present } from './present-facts.ts';
import { type PricedDataset, priceChoice } from './price-choice.ts';
import { recordHistory, unrecordedHistory } from './record-history.ts';

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
  close(): Promise<void>;
}

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
): DecisionMaker {
  const { store, clock } = context;
  let history = new HistoryFacts();
  let decider: Promise<Decider> | undefined;

  /** The history with everything that ended recorded, and what is there now. */
  async function prepare(lease: DecisionLease): Promise<Present> {
    await recordHistory(store.view, lease);
    await history.catchUp(store.view);
    const present = await lookAround(store.view, history, await keepingRules(context));
    if (present.gone.length > 0) {
      const ids = Array.from(present.gone, (number) => history.numbers.row(number));
      const at = clock.now();
      const seq = await lease.write((tx) => tx.appendHistory([givenUpEvent(at, ids)]));
      if (seq !== undefined) history.takeGone(seq, at, present.gone);
    }
    return present;
  }

  return {
    async decide(lease, bytesToFree, space) {
      try {
        const present = await prepare(lease);
        try {
          const asked = (decider ??= makeDecider());
          const planned = await planDecision(context, await asked, history, present, bytesToFree);
          const applied = await applyChoice(context, lease, planned.givenUp);
          const coming =
            space && applied && planned.by !== undefined
              ? await refusedComing(
                  context,
                  await asked,
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
        } finally {
          present.end();
        }
      } catch (error) {
        // A history that was left half-way is built again from what is recorded.
        history = new HistoryFacts();
        throw error;
      }
    },
    async close() {
      await (await decider)?.close();
    },
  };
}

/** What a decision would be at this moment; changes nothing and needs no lease. */
export async function foreseeDecision(
  context: EngineContext,
  decider: Decider,
  bytesToFree: number,
): Promise<Decision> {
  const { view } = context.store;
  const history = new HistoryFacts();
  await history.catchUp(view);
  for (const event of await unrecordedHistory(view)) await history.take(view, event);
  const present = await lookAround(view, history, await keepingRules(context));
  if (present.gone.length > 0) history.past.recordGivenUp(context.clock.now(), present.gone);
  return planDecision(context, decider, history, present, bytesToFree);
}

async function planDecision(
  context: EngineContext,
  decider: Decider,
  history: HistoryFacts,
  present: Present,
  bytesToFree: number,
): Promise<Decision> {
  const { table } = history.past;
  const ruled = present.unwanted.flatMap(({ number, rule }) =>
    unwantedByRule(present, number, rule, table.uses[number]!),
  );
  const freedByRule = ruled.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { number } of present.unwanted) table.marks[number] = 0;
  const wantedBytes = Math.max(0, Math.ceil(bytesToFree - freedByRule));
  if (wantedBytes === 0) {
    return { ...nothing, wantedBytes: bytesToFree, freedBytes: freedByRule, givenUp: ruled };
  }
  const facts = present.facts(context.clock.now(), wantedBytes);
  const decided = await decider.decide(facts, history.past.log);
  const chosen = priceChoice(facts, decided.choice, present.rows, decided.by, decided.reason);
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

function unwantedByRule(present: Present, number: number, rule: KeepRule, uses: number): PricedDataset[] {
  const row = present.rows.get(number);
  if (!row) return [];
  const priceless = {
    recomputeSeconds: undefined,
    idleRuns: undefined,
    reuseRate: undefined,
    score: undefined,
  };
  const text = `the rule says: ${ruleText(rule, formatBytes)}`;
  return [{ row, bytes: row.sizeBytes ?? 0, uses, ...priceless, by: `rule ${rule.id}`, text }];
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
