// The keyed lists that Pingo's documents have: additional inputs and configuration parameters, in their order.

import type { KeyedValue } from './document.ts';
import { quote } from './error-codes.ts';
import { variablePart } from './input-spec.ts';
import type { CommandDraft } from './lower-command.ts';
import { noteCollision } from './lower-inputs.ts';
import { noteValue } from './lower-outputs.ts';
import type { CheckedAction, LoweringContext } from './lowering-context.ts';
import type { DocumentPath } from './problems.ts';

export const additionalPrefix = 'VARVE_ADDITIONAL_INPUT_';
export const configurationPrefix = 'VARVE_CONFIGURATION_';

/** Lowers both lists; problems are noted. */
export function lowerKeyed(
  action: CheckedAction,
  { spec }: CommandDraft,
  path: DocumentPath,
  context: LoweringContext,
): void {
  if (action.additionalInput !== undefined) {
    const listPath = { parent: path, key: 'additionalInput' };
    spec.additionalInput = keyedPairs(action.additionalInput, listPath, additionalPrefix, context);
  }
  if (action.configurationParameters !== undefined) {
    const listPath = { parent: path, key: 'configurationParameters' };
    spec.configuration = keyedPairs(action.configurationParameters, listPath, configurationPrefix, context);
    noteSpaces(action.configurationParameters, listPath, context);
  }
}

function keyedPairs(
  list: readonly KeyedValue[],
  path: DocumentPath,
  prefix: string,
  context: LoweringContext,
): readonly (readonly [string, string])[] {
  const taken = new Map<string, string>();
  return list.flatMap((entry, index) => {
    if (entry.value === undefined) return [];
    const key = entry.key ?? String(index + 1);
    const other = taken.get(variablePart(key));
    if (other !== undefined)
      noteCollision(other, key, `${prefix}${variablePart(key)}`, { parent: path, key: index }, context);
    taken.set(variablePart(key), key);
    return [[key, String(entry.value)] as const];
  });
}

function noteSpaces(list: readonly KeyedValue[], path: DocumentPath, context: LoweringContext): void {
  for (const [index, entry] of list.entries()) {
    if (!/\s/.test(String(entry.value ?? ''))) continue;
    noteValue(
      'a value without white space',
      quote(String(entry.value)),
      { parent: path, key: index },
      context,
    );
  }
}
