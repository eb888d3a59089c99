// The thesis' action generator and workflow generator, completed where its text breaks off and repaired: new workflows
// are closed over the ancestors of what they reuse (otherwise a reused action would have another signature), all nodes
// between two reused ones are thereby included, every degree is bounded below, and no edge closes a cycle.
import type { History } from '../history.ts';
import { HistoryBuilder } from '../history-builder.ts';
import { Random } from '../random.ts';

export interface ThesisParameters {
  /** How many actions the pool has; the history ends when all are used. */
  readonly actions: number;
  /** `normal` as in the thesis; `log-normal` takes mean as median and deviation as spread of the logarithm. */
  readonly distribution: 'normal' | 'log-normal';
  readonly sizeMegabytes: Spread;
  readonly seconds: Spread;
  readonly workflowSize: Spread;
  /** Share of a workflow that is picked from earlier workflows. */
  readonly previousShare: Spread;
  readonly children: Spread;
  readonly parents: Spread;
  /** How earlier actions are picked: all alike, by a popularity of their own, or by popularity that fades. */
  readonly pick: 'uniform' | 'popularity' | 'fading';
  /** Tail of the popularity: smaller means that fewer actions get most of the picks. */
  readonly popularityShape: number;
  /** Workflows after which a popularity has fallen by the factor e. */
  readonly fadingWorkflows: number;
  /** What becomes of a picked action that gets no child: a result of the run as in the thesis, or left out. */
  readonly childless: 'result' | 'dropped';
}

export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

/** The published defaults, with enough actions for a history worth learning from. */
export const thesisDefaults: ThesisParameters = {
  actions: 1600,
  distribution: 'normal',
  sizeMegabytes: { mean: 400, deviation: 200 },
  seconds: { mean: 300, deviation: 200 },
  workflowSize: { mean: 10, deviation: 4 },
  previousShare: { mean: 0.2, deviation: 0.1 },
  children: { mean: 2.1, deviation: 4.5 },
  parents: { mean: 2.1, deviation: 4.5 },
  pick: 'uniform',
  popularityShape: 1,
  fadingWorkflows: 20,
  childless: 'result',
};

export interface GeneratedAction {
  readonly label: string;
  readonly sizeBytes: number;
  readonly computeSeconds: number;
  readonly popularity: number;
}

/** The action generator: a pool of actions with sizes and times of their own. */
export function generateActions(p: ThesisParameters, random: Random): GeneratedAction[] {
  const draw = (spread: Spread) =>
    p.distribution === 'normal'
      ? Math.abs(random.normal(spread.mean, spread.deviation))
      : random.logNormal(spread.mean, spread.deviation);
  return Array.from({ length: p.actions }, (_, i) => ({
    label: `a${i + 1}`,
    sizeBytes: Math.max(1, Math.round(draw(p.sizeMegabytes) * 1e6)),
    computeSeconds: draw(p.seconds),
    popularity: random.pareto(p.popularityShape),
  }));
}

/** The workflow generator: workflows over the pool until it is used up. */
export function generateThesis(p: ThesisParameters, seed: number, family = 'thesis'): History {
  const actions = generateActions(p, new Random(seed, `${family} actions`));
  const random = new Random(seed, `${family} workflows`);
  const builder = new HistoryBuilder();
  const bornIn: number[] = [];
  let used = 0;
  for (let workflow = 0; used < actions.length; workflow += 1) {
    const size = Math.max(2, Math.round(random.normal(p.workflowSize.mean, p.workflowSize.deviation)));
    const share = Math.min(1, Math.abs(random.normal(p.previousShare.mean, p.previousShare.deviation)));
    const previous = pickPrevious(p, actions, bornIn, workflow, Math.floor(share * size), random);
    const freshCount = Math.max(1, Math.min(size - previous.length, actions.length - used));
    const { fresh, chosen } = wire(p, previous, freshCount, random);
    const number: number[] = [];
    for (const node of fresh) {
      const { label, sizeBytes, computeSeconds } = actions[used]!;
      const parents = node.parents.map((parent) => (parent.fresh ? number[parent.at]! : parent.at));
      number.push(builder.addDataset({ label, sizeBytes, computeSeconds, parents }));
      bornIn.push(workflow);
      used += 1;
    }
    const sinks = number.filter(
      (_, i) => !fresh.some((node) => node.parents.some((q) => q.fresh && q.at === i)),
    );
    builder.addRun({ results: [...sinks, ...chosen] });
  }
  return builder.build({ family, seed, parameters: { ...p } as never });
}

/** Different earlier actions, drawn without replacement in proportion to their weight. */
function pickPrevious(
  p: ThesisParameters,
  actions: readonly GeneratedAction[],
  bornIn: readonly number[],
  workflow: number,
  count: number,
  random: Random,
): number[] {
  const drawn = bornIn.map((born, at) => {
    const popularity = p.pick === 'uniform' ? 1 : actions[at]!.popularity;
    const weight =
      p.pick === 'fading' ? popularity * Math.exp((born - workflow) / p.fadingWorkflows) : popularity;
    return { at, key: Math.log(1 - random.uniform()) / weight };
  });
  return drawn
    .sort((a, b) => b.key - a.key)
    .slice(0, count)
    .map(({ at }) => at);
}

interface Parent {
  readonly fresh: boolean;
  /** Position among the fresh nodes, or number of the earlier action. */
  readonly at: number;
}

interface FreshNode {
  readonly parents: Parent[];
}

/** Greedy graph that serves the wished degrees as far as slots allow; fresh nodes come back in topological order. */
function wire(p: ThesisParameters, previous: readonly number[], count: number, random: Random) {
  const degree = (spread: Spread) => Math.floor(Math.abs(random.normal(spread.mean, spread.deviation)));
  const kids = Array.from({ length: count }, () => degree(p.children));
  const slots = Array.from({ length: count }, () => degree(p.parents));
  const fromOld: number[][] = Array.from({ length: count }, () => []);
  const fromNew: number[][] = Array.from({ length: count }, () => []);
  const all = Array.from({ length: count }, (_, i) => i);
  const chosen: number[] = [];
  for (const old of previous) {
    const given = random
      .shuffled(all)
      .filter((t) => slots[t]! > 0)
      .slice(0, degree(p.children));
    for (const t of given) {
      slots[t]! -= 1;
      fromOld[t]!.push(old);
    }
    if (given.length === 0 && p.childless === 'result') chosen.push(old);
  }
  const reaches = (from: number, to: number): boolean =>
    from === to || fromNew[to]!.some((parent) => reaches(from, parent));
  for (const a of all) {
    let wanted = kids[a]!;
    for (const t of random.shuffled(all)) {
      if (wanted === 0) break;
      if (slots[t]! === 0 || fromNew[t]!.includes(a) || reaches(t, a)) continue;
      slots[t]! -= 1;
      wanted -= 1;
      fromNew[t]!.push(a);
    }
  }
  const order: number[] = [];
  const place = (a: number): void => {
    if (order.includes(a)) return;
    for (const parent of fromNew[a]!) place(parent);
    order.push(a);
  };
  for (const a of all) place(a);
  const fresh: FreshNode[] = order.map((a) => ({
    parents: [
      ...fromOld[a]!.map((at) => ({ fresh: false, at })),
      ...fromNew[a]!.map((parent) => ({ fresh: true, at: order.indexOf(parent) })),
    ],
  }));
  return { fresh, chosen };
}
