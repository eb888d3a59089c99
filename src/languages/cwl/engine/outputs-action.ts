// The action types that put outputs together: the template of a grown step, and the output object of a run. Neither runs anything.
import type { Json, JsonObject } from '../../../core/json.ts';
import type { ActionType, CollectContext, Collected, InputDataset } from '../../../core/ports/action-type.ts';
import type { NodeDefinition } from '../../../core/workflow.ts';
import { cwlErrors } from '../error-codes.ts';
import type { CwlType } from '../model/cwl-type.ts';
import { publishOutputs } from '../tool/publish-outputs.ts';
import { checkOutput } from '../values/check-value.ts';
import { collecting } from './action-failure.ts';
import { type DatasetValue, type Locate, locateOnDisk } from './dataset-values.ts';
import { mapLocations, parseSlotLocation, slotLocation } from './file-reference.ts';
import { nodeTypes, type OutputsSpec, type TemplateSpec } from './spec.ts';
import { specValues, withLocations } from './spec-job.ts';
import { mapSymbol } from './symbol.ts';
import { publishPlace, realPaths } from './tool-action.ts';

/** The template of a grown step: files in it that no member holds become its own. */
export function templateAction(): ActionType {
  return {
    name: nodeTypes.template,
    // The literals are in the identity by content, and the members are not looked at.
    physicalIdentity: (node) => node.identity,
    prepare: async () => undefined,
    collect: (context) => collecting(() => collectTemplate(context)),
  };
}

async function collectTemplate({ node, inputs, space }: CollectContext): Promise<Collected> {
  const { template } = node.spec as unknown as TemplateSpec;
  const bySlot = Map.groupBy(inputs, (dataset) => dataset.slot);
  const literals: Record<string, Json> = {};
  const number = (value: Json): Json => {
    const name = String(Object.keys(literals).length);
    literals[name] = withLocations(value, bySlot, locateOnDisk);
    return { literal: name };
  };
  const same = { output: <T>(output: T) => output, scope: <T>(scope: T) => scope };
  const numbered = Object.entries(template).map(
    ([name, sym]) => [name, mapSymbol(sym, { literal: number, ...same })] as const,
  );
  const published = await publishOutputs(literals, publishPlace(space), {
    immutable: await realPaths(inputs.map(({ path }) => path)),
    inputs: [],
    keepForeign: true,
  });
  const filled = numbered.map(([name, sym]) => [
    name,
    mapSymbol(sym, {
      literal: (value) => published[(value as { literal: string }).literal] ?? null,
      ...same,
    }),
  ]);
  return { value: { template: Object.fromEntries(filled) } as unknown as Json };
}

/** By slot and position, so that the value holds whatever the nodes of a run are called. */
const locateBySlot: Locate = (dataset, inside) =>
  slotLocation({ slot: dataset.slot, position: dataset.position, inside });

/** The output object of a run: its files stay in the datasets of the nodes that made them. */
export function outputsAction(): ActionType {
  return {
    name: nodeTypes.outputs,
    // Datasets of equal files may have different values, so the values decide.
    physicalIdentity: async (node, inputs) => ({
      cwl: node.identity.cwl!,
      outputs: await outputsOf(node, inputs),
    }),
    prepare: async () => undefined,
    collect: (context) => collecting(() => collectRunOutputs(context)),
  };
}

function outputsOf(node: NodeDefinition, inputs: readonly InputDataset[]): Promise<Record<string, Json>> {
  const spec = node.spec as unknown as OutputsSpec;
  return specValues(spec.job, inputs, spec.trust, locateBySlot);
}

async function collectRunOutputs({ node, inputs }: CollectContext): Promise<Collected> {
  const spec = node.spec as unknown as OutputsSpec;
  const outputs = await outputsOf(node, inputs);
  for (const { name, type } of spec.outputs) {
    const misfit = checkOutput(outputs[name] ?? null, type as CwlType);
    if (misfit !== undefined)
      throw cwlErrors.CWL_OUTPUT(name + misfit.path, `must be ${misfit.wanted}, not ${misfit.found}`);
  }
  return { value: { outputs } };
}

/**
 * The output object of a finished run with files at their place on this machine. `value` is the value of the result node's dataset,
 * `own` that dataset, `inputs` the datasets behind it (its lineage): slot, position and path are what counts.
 */
export function runOutputs(value: Json, own: InputDataset, inputs: readonly InputDataset[]): JsonObject {
  const { outputs } = value as unknown as Extract<DatasetValue, { outputs: JsonObject }>;
  const bySlot = Map.groupBy(inputs, (dataset) => dataset.slot);
  const visible = Object.fromEntries(
    Object.entries(outputs).filter(([name]) => !name.startsWith('inplace:')),
  );
  const referenced = withLocations(visible, bySlot, locateOnDisk);
  return mapLocations(referenced, (location) => {
    if (/^[a-z]+:\/\//.test(location) || parseSlotLocation(location) !== undefined) return location;
    return locateOnDisk(own, location);
  }) as JsonObject;
}
