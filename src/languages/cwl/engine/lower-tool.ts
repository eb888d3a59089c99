// A tool with symbolic inputs becomes one node.
import type { Json, JsonObject } from '../../../core/json.ts';
import { defaultPolicy, type NodePolicy } from '../../../core/workflow.ts';
import { cwlErrors } from '../error-codes.ts';
import { shortName } from '../load/uri.ts';
import type { CommandLineTool } from '../model/process.ts';
import { findRequirement, nestRequirements, type Requirements } from '../model/requirement.ts';
import { withDigests } from './content-identity.ts';
import { digestSymbols } from './digest-symbols.ts';
import type { LoweringContext } from './lowering-context.ts';
import { type ContainerSpec, nodeTypes, specJson } from './spec.ts';
import { SpecWriter } from './spec-writer.ts';
import { nothing, type Sym, withDefault } from './symbol.ts';
import { type Tool, toolIdentity } from './tool-identity.ts';

/** What is the same for every node of one tool in one place. */
interface PreparedTool {
  readonly tool: Tool;
  readonly requirements: Requirements;
  readonly identity: JsonObject;
  readonly container: ContainerSpec | undefined;
  readonly inplace: readonly string[];
  readonly policy: NodePolicy;
}

const prepared = new WeakMap<Requirements, WeakMap<Tool, Promise<PreparedTool>>>();

/** Inserts the node of a tool and returns its outputs. */
export async function lowerTool(
  context: LoweringContext,
  tool: Tool,
  inputs: Readonly<Record<string, Sym>>,
  key: string,
  outer: Requirements,
): Promise<Record<string, Sym>> {
  const ready = await prepareTool(context, tool, outer);
  const values: Record<string, Sym> = {};
  for (const input of tool.inputs)
    values[input.name] = withDefault(inputs[input.name] ?? nothing, input.default);
  const writer = new SpecWriter(context.origins);
  const { spec: job, identity } = writer.write(await digestSymbols(values, context.digest));
  const common = {
    job,
    requirements: ready.requirements,
    ...(context.trust === undefined ? {} : { trust: context.trust }),
  };
  const spec =
    ready.tool.class === 'ExpressionTool'
      ? specJson({ tool: ready.tool, ...common })
      : specJson({
          tool: ready.tool,
          ...common,
          ...(ready.container === undefined ? {} : { container: ready.container }),
          ...(ready.inplace.length === 0 ? {} : { inplace: ready.inplace }),
        });
  context.nodes.push({
    key,
    name: key,
    type: ready.tool.class === 'ExpressionTool' ? nodeTypes.expression : nodeTypes.tool,
    expands: false,
    parents: writer.parents,
    identity: { cwl: ready.identity, ...identity },
    spec,
    policy: ready.policy,
    result: false,
  });
  const names = [...tool.outputs.map(({ name }) => name), ...ready.inplace.map((name) => `inplace:${name}`)];
  return Object.fromEntries(names.map((output) => [output, { out: { node: key, output } }]));
}

function prepareTool(context: LoweringContext, tool: Tool, outer: Requirements): Promise<PreparedTool> {
  let byTool = prepared.get(outer);
  if (byTool === undefined) prepared.set(outer, (byTool = new WeakMap()));
  let ready = byTool.get(tool);
  if (ready === undefined) byTool.set(tool, (ready = makeReady(context, tool, outer)));
  return ready;
}

async function makeReady(context: LoweringContext, tool: Tool, outer: Requirements): Promise<PreparedTool> {
  const nested = nestRequirements(outer, tool);
  const requirements = (await withDigests(
    nested as unknown as Json,
    context.digest,
  )) as unknown as Requirements;
  const container = tool.class === 'CommandLineTool' ? containerFor(tool, requirements, context) : undefined;
  const image = container?.image as unknown as JsonObject | undefined;
  return {
    tool: bareTool(tool),
    requirements: executionRequirements(requirements),
    identity: toolIdentity(tool, requirements, image),
    container,
    inplace: inplaceInputs(requirements),
    policy: policyFor(tool, requirements, context),
  };
}

/** The tool without descriptions and defaults: the defaults are in the job already. */
function bareTool(tool: Tool): Tool {
  const { label: _label, doc: _doc, ...rest } = tool;
  const inputs = tool.inputs.map(({ label: _l, doc: _d, default: _default, ...input }) => input);
  const outputs = tool.outputs.map(({ label: _l, doc: _d, ...output }) => output);
  return { ...rest, inputs, outputs, requirements: [], hints: [] } as Tool;
}

/** Features of workflows mean nothing to a tool. */
function executionRequirements({ required, hinted }: Requirements): Requirements {
  const keep = (all: Requirements['required']) =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => !/FeatureRequirement$|^StepInput|^SchemaDef/.test(name)),
    );
  return { required: keep(required), hinted: keep(hinted) };
}

function containerFor(
  tool: CommandLineTool,
  requirements: Requirements,
  context: LoweringContext,
): ContainerSpec | undefined {
  const image = findRequirement(requirements, 'DockerRequirement');
  if (image === undefined) return undefined;
  const required = requirements.required.DockerRequirement !== undefined;
  if (context.choices.container !== undefined) return { image, required };
  if (!required) return undefined;
  const name =
    image.dockerPull ?? image.dockerImageId ?? image.dockerImport ?? image.dockerLoad ?? 'of its dockerFile';
  throw cwlErrors.CWL_CONTAINER(shortName(tool.id), name);
}

/** Inputs that InitialWorkDirRequirement hands out for change in place. */
function inplaceInputs(requirements: Requirements): string[] {
  if (findRequirement(requirements, 'InplaceUpdateRequirement')?.inplaceUpdate !== true) return [];
  const listing = findRequirement(requirements, 'InitialWorkDirRequirement')?.listing ?? [];
  return listing.flatMap((entry) => {
    if (!('entry' in entry) || !entry.writable) return [];
    const name = /^\s*\$\(inputs\.(\w+)\)\s*$/.exec(entry.entry)?.[1];
    return name === undefined ? [] : [name];
  });
}

function policyFor(tool: Tool, requirements: Requirements, context: LoweringContext): NodePolicy {
  const reuse = findRequirement(requirements, 'WorkReuse')?.enableReuse;
  const asked = findRequirement(requirements, 'ResourceRequirement');
  const number = (value: number | string | undefined) => (typeof value === 'number' ? value : undefined);
  const cores = number(asked?.coresMin) ?? number(asked?.coresMax);
  const ram = number(asked?.ramMin) ?? number(asked?.ramMax);
  const retries = tool.class === 'CommandLineTool' && tool.temporaryFailCodes.length > 0 ? 2 : 0;
  // An expression that decides about reuse is only known with the inputs: then reuse is not risked.
  const forced = context.choices.noReuse === true || (reuse !== undefined && reuse !== true);
  // The default itself is not written into each node.
  if (!forced && asked === undefined && retries === 0) return defaultPolicy;
  return {
    ...defaultPolicy,
    forced,
    resources: {
      cores: Math.max(1, Math.ceil(cores ?? 1)),
      ...(ram === undefined ? {} : { memoryBytes: Math.ceil(ram) * 2 ** 20 }),
    },
    retries: { ...defaultPolicy.retries, count: retries },
  };
}
