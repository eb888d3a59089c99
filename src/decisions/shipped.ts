// The shipped algorithms, by the name that the configuration uses.
import { moduleUrl } from '../assets.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { gdsf } from './gdsf.ts';
import { hamr } from './hamr.ts';
import { lfuDecay } from './lfu-decay.ts';
import { lru } from './lru.ts';
import { mostCommonlyUsed } from './most-commonly-used.ts';
import { nectar } from './nectar.ts';
import { size } from './size.ts';

/** Name of the algorithm that decides unless the configuration says otherwise, and of the one that takes over from a plug-in. */
export const defaultAlgorithm = 'hamr';
export const fallbackAlgorithm = 'gdsf';

export const shippedAlgorithms: Readonly<Record<string, DecisionAlgorithm>> = Object.fromEntries(
  [hamr, gdsf, nectar, lru, lfuDecay, size, mostCommonlyUsed].map((algorithm) => [
    algorithm.name,
    algorithm as DecisionAlgorithm,
  ]),
);

/** URL of the module that holds a shipped algorithm, for the laboratory's threads. */
export function shippedModule(name: string): string | undefined {
  if (!Object.hasOwn(shippedAlgorithms, name)) return undefined;
  return moduleUrl(`decisions/${name}`).href;
}
