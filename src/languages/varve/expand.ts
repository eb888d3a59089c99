// Nodes that grow: an action with `when` becomes one command or is skipped, an action with `scatter` becomes one command for
// each entry of its list, in order. Growth depends on the inputs alone, so a repeated call gives equal nodes.
import { join } from 'node:path';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ActionType, Growth, InputDataset } from '../../core/ports/action-type.ts';
import type { NodeDefinition, ParentLink } from '../../core/workflow.ts';
import { datasetsOf } from './command-inputs.ts';
import { commandLineType, type ExpandSpec, expandType } from './command-spec.ts';
import { readValue } from './dataset-files.ts';
import { languageErrors } from './error-codes.ts';
import { conditionHolds, conditionReferences } from './evaluate-condition.ts';
import { type Condition, ConditionMistake, parseCondition } from './parse-condition.ts';
import { type ScatterEntry, scatterEntries } from './scatter-entries.ts';

/** The action type of nodes that expand; it never runs anything itself. */
export function expandAction(): ActionType {
  return {
    name: expandType,
    prepare: ({ node }) => Promise.reject(languageErrors.EXPANSION_ONLY(node.key)),
    collect: ({ node }) => Promise.reject(languageErrors.EXPANSION_ONLY(node.key)),
    expand,
  };
}

async function expand(node: NodeDefinition, inputs: readonly InputDataset[]): Promise<Growth> {
  const spec = node.spec as unknown as ExpandSpec;
  const condition = spec.when === undefined ? undefined : parseCondition(spec.when);
  const known =
    condition === undefined ? new Map<string, Json>() : await knownValues(condition, spec, inputs);
  const holds = (entry?: Json): boolean => condition === undefined || test(condition, spec, known, entry);
  const skipped = `the condition is false: ${spec.when}`;
  if (spec.scatter === undefined) {
    if (!holds()) return { nodes: [], results: [], list: false, skipped };
    const grown = grownNode(node, spec, `${node.key}[when]`, node.name, node.parents);
    return { nodes: [grown], results: [grown.key], list: false };
  }
  const entries = await scatterEntries(node, spec.scatter, inputs);
  const parents = node.parents.filter((parent) => parent.slot !== spec.scatter!.over);
  const nodes: NodeDefinition[] = [];
  for (const [index, entry] of entries.entries())
    if (holds(valueOfEntry(entry))) nodes.push(elementNode(node, spec, parents, entry, index));
  if (nodes.length === 0 && entries.length > 0) return { nodes: [], results: [], list: true, skipped };
  return { nodes, results: nodes.map((element) => element.key), list: true };
}

/** The values that a condition uses, except the entry of a scatter, which differs from element to element. */
async function knownValues(
  condition: Condition,
  spec: ExpandSpec,
  inputs: readonly InputDataset[],
): Promise<Map<string, Json>> {
  const values = new Map<string, Json>();
  for (const { root, name } of conditionReferences(condition)) {
    if (root !== 'inputs' || name === spec.scatter?.as || values.has(name)) continue;
    const input = spec.element.spec.inputs?.[name];
    if (input === undefined) continue;
    if ('value' in input) values.set(name, input.value);
    else if ('dataset' in input)
      values.set(name, await readValue(name, input.dataset, datasetsOf(name, inputs)));
  }
  return values;
}

function test(
  condition: Condition,
  spec: ExpandSpec,
  known: ReadonlyMap<string, Json>,
  entry: Json | undefined,
): boolean {
  try {
    return conditionHolds(condition, (root, name) => {
      if (root === 'params') return spec.params?.[name] ?? null;
      return (name === spec.scatter?.as ? entry : known.get(name)) ?? null;
    });
  } catch (error) {
    if (error instanceof ConditionMistake) throw languageErrors.CONDITION_VALUE(spec.when!, error.message);
    throw error;
  }
}

function valueOfEntry(entry: ScatterEntry): Json | undefined {
  return entry.spec !== undefined && 'value' in entry.spec ? entry.spec.value : undefined;
}

function elementNode(
  node: NodeDefinition,
  spec: ExpandSpec,
  parents: readonly ParentLink[],
  entry: ScatterEntry,
  index: number,
): NodeDefinition {
  const links = entry.parent === undefined ? parents : [...parents, entry.parent];
  const grown = grownNode(node, spec, `${node.key}[${index}]`, `${node.name}[${index}]`, links);
  const { outputPath } = node.policy;
  const policy =
    outputPath === undefined ? node.policy : { ...node.policy, outputPath: join(outputPath, String(index)) };
  const { as } = spec.scatter!;
  return {
    ...grown,
    policy,
    identity: withInput(grown.identity, as, entry.identity),
    spec: withInput(grown.spec, as, entry.spec as unknown as JsonObject | undefined),
  };
}

/** A plain dataset needs no entry among the inputs: its link says all. */
function withInput(of: JsonObject, name: string, input: JsonObject | undefined): JsonObject {
  if (input === undefined) return of;
  return { ...of, inputs: { ...(of.inputs as JsonObject | undefined), [name]: input } };
}

function grownNode(
  node: NodeDefinition,
  spec: ExpandSpec,
  key: string,
  name: string,
  parents: readonly ParentLink[],
): NodeDefinition {
  const command = spec.element.spec as unknown as JsonObject;
  return {
    ...node,
    key,
    name,
    type: commandLineType,
    expands: false,
    parents,
    identity: (spec.element.identity as JsonObject | undefined) ?? command,
    spec: command,
  };
}
