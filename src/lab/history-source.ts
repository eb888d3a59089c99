// Where a history comes from, as plain data that can be sent to another thread: a family with a seed, or a file.
import type { JsonObject } from '../core/json.ts';
import { labErrors } from './error-codes.ts';
import { families } from './families/index.ts';
import type { History } from './history.ts';
import { readHistory } from './history-file.ts';
import { readText } from './read-text.ts';

export interface GenerateOptions {
  readonly family: string;
  readonly seed: number;
  readonly parameters?: JsonObject | undefined;
}

export type HistorySource =
  | ({ readonly kind: 'family' } & GenerateOptions)
  | { readonly kind: 'file'; readonly path: string };

/** A history of a family; equal options give equal histories everywhere. */
export function generateHistory(options: GenerateOptions): History {
  const family = Object.hasOwn(families, options.family) ? families[options.family] : undefined;
  if (!family) throw labErrors.LAB_UNKNOWN_FAMILY(options.family, Object.keys(families));
  return family.generate(options.parameters ?? {}, options.seed);
}

export function loadHistory(source: HistorySource): History {
  return source.kind === 'family' ? generateHistory(source) : readHistory(readText(source.path), source.path);
}

/** How a source is called in tables. */
export function sourceName(source: HistorySource): string {
  return source.kind === 'family' ? `${source.family}#${source.seed}` : source.path;
}

/** Sources of many families and seeds, family by family. */
export function familySources(
  names: readonly string[],
  seeds: readonly number[],
  parametersOf: (family: string) => JsonObject = () => ({}),
): HistorySource[] {
  return names.flatMap((family) =>
    seeds.map((seed) => ({ kind: 'family' as const, family, seed, parameters: parametersOf(family) })),
  );
}
