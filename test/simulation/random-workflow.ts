// Workflows that have much in common: one catalogue of tasks for each simulation, from which every submission takes some results with all
// that is above them, sometimes edited, forced or put at a place of the user's.
import type { NodeDefinition } from '../../src/core/workflow.ts';
import { type Grow, task } from '../engine/task-language.ts';
import type { Choices } from './choices.ts';

interface Entry {
  readonly op: string;
  readonly parents: readonly { readonly index: number; readonly optional: boolean }[];
  readonly grow: Grow | undefined;
  readonly never: boolean;
  readonly retries: number;
}

export type Catalogue = readonly Entry[];

const growths: readonly (Grow | undefined)[] = [
  undefined,
  { list: 2 },
  { list: 'inputs' },
  { when: 'inputs' },
  { list: 2, inner: { when: 'inputs' } },
  { list: 1, inner: { list: 2 } },
  { when: true },
];

export function makeCatalogue(choices: Choices): Catalogue {
  const size = 3 + choices.below(6);
  return Array.from({ length: size }, (_, i) => {
    const parents = new Set<number>();
    for (let n = choices.below(3); n > 0 && i > 0; n--) parents.add(choices.below(i));
    return {
      op: choices.weighted([
        [6, `op${i}`],
        [2, `op${choices.below(size)}`],
        [4, `const:${choices.below(2)}@${i}`],
        [1, `dice${i}`],
      ]),
      parents: [...parents].map((index) => ({ index, optional: choices.chance(0.3) })),
      grow: choices.chance(0.25) ? choices.pick(growths) : undefined,
      never: choices.chance(0.15),
      retries: choices.below(2),
    };
  });
}

/** The nodes of one submission. */
export function chooseWorkflow(catalogue: Catalogue, choices: Choices): NodeDefinition[] {
  const results = new Set([catalogue.length - 1 - choices.below(catalogue.length)]);
  if (choices.chance(0.4)) results.add(choices.below(catalogue.length));
  const wanted = new Set(results);
  for (let i = catalogue.length - 1; i >= 0; i--) {
    if (wanted.has(i)) for (const { index } of (catalogue[i] as Entry).parents) wanted.add(index);
  }
  const edited = choices.chance(0.25) ? choices.below(catalogue.length) : -1;
  const forced = choices.chance(0.2) ? choices.below(catalogue.length) : -1;
  const unmanaged = choices.chance(0.15) ? choices.below(catalogue.length) : -1;
  return [...wanted]
    .sort((a, b) => a - b)
    .map((i) => {
      const { op, parents, grow, never, retries } = catalogue[i] as Entry;
      return task(`n${i}`, {
        op: i === edited ? `${op}'` : op,
        parents: parents.map(({ index, optional }, p) => ({ slot: `in${p}`, key: `n${index}`, optional })),
        result: results.has(i),
        keep: never ? 'never' : 'auto',
        forced: i === forced,
        retries: { count: retries, delayMs: 50 },
        ...(grow ? { grow } : {}),
        ...(i === unmanaged && !grow ? { outputPath: `/home/me/n${i}` } : {}),
      });
    });
}
