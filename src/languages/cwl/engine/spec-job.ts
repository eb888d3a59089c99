// The values of a spec, once the datasets in the node's slots are there.
import type { Json } from '../../../core/json.ts';
import type { InputDataset } from '../../../core/ports/action-type.ts';
import { cwlErrors } from '../error-codes.ts';
import { type Locate, locateOnDisk, readOutput, readPaths } from './dataset-values.ts';
import { SymbolEvaluator } from './evaluate-symbols.ts';
import { mapLocations, parseSlotLocation } from './file-reference.ts';
import type { SlotOutput, SpecValues } from './spec.ts';

/** The values with files at their place on this machine, or wherever `locate` says. */
export async function specValues(
  spec: SpecValues,
  inputs: readonly InputDataset[],
  trust: string | undefined,
  locate: Locate = locateOnDisk,
): Promise<Record<string, Json>> {
  const bySlot = Map.groupBy(inputs, (dataset) => dataset.slot);
  const evaluator = new SymbolEvaluator<SlotOutput, number>(
    {
      output: ({ slot, output, paths }) => {
        const datasets = bySlot.get(slot) ?? [];
        return paths === undefined
          ? readOutput(datasets, output, locate)
          : readPaths(datasets, output, paths, locate);
      },
      literal: (value) => withLocations(value, bySlot, locate),
      scope: (index) => spec.scopes[index]!,
    },
    trust,
  );
  return await evaluator.evaluateRecord(spec.values);
}

/** The literal with every reference to a slot replaced by the file's place. */
export function withLocations(
  value: Json,
  bySlot: ReadonlyMap<string, readonly InputDataset[]>,
  locate: Locate,
): Json {
  return mapLocations(value, (location) => {
    const reference = parseSlotLocation(location);
    if (reference === undefined) return location;
    const datasets = bySlot.get(reference.slot) ?? [];
    const dataset = datasets.find((one) => one.position === reference.position) ?? datasets[0];
    if (dataset === undefined) throw cwlErrors.CWL_FILE_MISSING('the dataset of', reference.inside);
    return locate(dataset, reference.inside);
  });
}
