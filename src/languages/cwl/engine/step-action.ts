// The action type of growing steps: once the inputs are known, the step is scattered, skipped or run. Elements of a list are put
// together by a template, which is the first of the nodes that stand for the step.
import type { ActionType, Growth, InputDataset } from '../../../core/ports/action-type.ts';
import { defaultPolicy, type NodeDefinition } from '../../../core/workflow.ts';
import { cwlErrors } from '../error-codes.ts';
import { digestFile } from '../values/content-digest.ts';
import type { MemberOutput } from './dataset-values.ts';
import { digestSymbols } from './digest-symbols.ts';
import { lowerStep } from './lower-step.ts';
import { lowerProcess } from './lower-workflow.ts';
import type { LoweringContext } from './lowering-context.ts';
import { nodeTypes, type StepSpec, specJson } from './spec.ts';
import { specValues } from './spec-job.ts';
import { type Origin, SpecWriter } from './spec-writer.ts';
import { mapSymbol, type NodeOutput, outputsUsed, type Scope, type Sym, type Symbolic } from './symbol.ts';
import type { CwlActionOptions } from './tool-action.ts';
import { unusedNodes } from './unused-nodes.ts';

export function stepAction(options: CwlActionOptions): ActionType {
  const neverRuns = (node: NodeDefinition) => Promise.reject(cwlErrors.CWL_OPERATION(node.key));
  return {
    name: nodeTypes.step,
    prepare: ({ node }) => neverRuns(node),
    collect: ({ node }) => neverRuns(node),
    expand: (node, inputs) => expand(node, inputs, options),
  };
}

async function expand(
  node: NodeDefinition,
  inputs: readonly InputDataset[],
  options: CwlActionOptions,
): Promise<Growth> {
  const { step, job, requirements, version, options: choices, trust } = node.spec as unknown as StepSpec;
  const context: LoweringContext = {
    nodes: [],
    lowerProcess,
    origins: originsOf(node, inputs),
    digest: options.digest ?? (async (path) => (await digestFile(path)).sha256),
    choices,
    trust,
  };
  const values = await specValues(job, inputs, trust);
  const raw = Object.fromEntries(Object.entries(values).map(([name, lit]) => [name, { lit }]));
  const scattered = step.scatter.length > 0;
  const key = scattered ? node.key : `${node.key}[when]`;
  const { outputs, skipped } = await lowerStep(context, step, raw, key, requirements, version);
  if (skipped !== undefined)
    return { nodes: [], results: [], list: false, skipped: `the condition is false: ${skipped}` };
  const [only] = context.nodes;
  if (!scattered && step.run.class !== 'Workflow' && only !== undefined)
    return { nodes: [only], results: [only.key], list: false };
  return await withTemplate(node, context, outputs);
}

/** The datasets that the node got, by the node of the run that stands for each. */
function originsOf(node: NodeDefinition, inputs: readonly InputDataset[]): Origin[] {
  const parents = new Map(node.parents.map((link) => [link.slot, link.key]));
  return inputs
    .filter(({ path }) => path !== '')
    .map((dataset) => {
      const parent = parents.get(dataset.slot)!;
      const element = dataset.node !== undefined && dataset.node !== parent;
      return { path: dataset.path, node: dataset.node ?? parent, position: element ? '' : dataset.position };
    });
}

async function withTemplate(
  node: NodeDefinition,
  context: LoweringContext,
  given: Readonly<Record<string, Sym>>,
): Promise<Growth> {
  const outputs = await digestSymbols(given, context.digest);
  const members = new Map<string, number>();
  for (const sym of Object.values(outputs))
    for (const { node: key } of outputsUsed(sym)) if (!members.has(key)) members.set(key, members.size + 1);
  for (const key of unusedNodes(context.nodes)) if (!members.has(key)) members.set(key, members.size + 1);
  const writer = new SpecWriter(context.origins);
  const template: Record<string, Symbolic<MemberOutput, never>> = {};
  for (const [name, sym] of Object.entries(outputs)) {
    template[name] = mapSymbol<NodeOutput, Scope, MemberOutput, never>(sym, {
      literal: (value) => writer.literal(value),
      output: ({ node: key, output }) => ({ member: members.get(key)!, output }),
      scope: () => {
        throw new Error('the inputs of a grown step are known, so its outputs hold no expressions');
      },
    });
  }
  const key = `${node.key}#outputs`;
  const { identity } = new SpecWriter([]).write(outputs);
  const templateNode: NodeDefinition = {
    key,
    name: key,
    type: nodeTypes.template,
    expands: false,
    parents: writer.parents,
    identity: { cwl: 'template', ...templateIdentity(identity, members) },
    spec: specJson({ template }),
    policy: defaultPolicy,
    result: false,
  };
  return { nodes: [templateNode, ...context.nodes], results: [key, ...members.keys()], list: true };
}

/** Which member gives what is identity; how the nodes of this run are called is not. */
function templateIdentity(identity: NodeDefinition['identity'], members: ReadonlyMap<string, number>) {
  return { ...identity, members: members.size };
}
