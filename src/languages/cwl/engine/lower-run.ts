// A process and its input object to the language-neutral workflow that the engine plans and runs.
import type { SourcePlace } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { defaultPolicy, type NodeDefinition, type WorkflowDefinition } from '../../../core/workflow.ts';
import { createEvaluator } from '../expressions/evaluator.ts';
import type { FetchText } from '../load/document-store.ts';
import type { Process } from '../model/process.ts';
import {
  nestRequirements,
  noRequirements,
  type Requirement,
  type Requirements,
} from '../model/requirement.ts';
import { digestFile } from '../values/content-digest.ts';
import { prepareJob } from '../values/prepare-job.ts';
import { type FetchFile, withLocalFiles } from '../values/remote-files.ts';
import { type DigestFile, withDigests } from './content-identity.ts';
import { digestSymbols } from './digest-symbols.ts';
import { displayNameOf } from './display-name.ts';
import { lowerProcess } from './lower-workflow.ts';
import type { LoweringContext } from './lowering-context.ts';
import { type ContainerChoice, nodeTypes, specJson } from './spec.ts';
import { SpecWriter } from './spec-writer.ts';
import { outputsUsed, type Sym } from './symbol.ts';
import { unusedNodes } from './unused-nodes.ts';

export interface LowerOptions {
  /** Requirements from the input object, which win over those of the document. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** How to run containers; undefined means that there is no engine, or that the user wants none. */
  readonly container?: ContainerChoice | undefined;
  readonly noReuse?: boolean | undefined;
  readonly digest?: DigestFile | undefined;
  readonly fetchText?: FetchText | undefined;
  /** Fetches input files that are named by http(s). */
  readonly fetchFile?: FetchFile | undefined;
  readonly trust?: string | undefined;
  readonly placeOfInput?: ((name: string) => SourcePlace | undefined) | undefined;
}

/** The key of the node whose dataset holds the output object of a workflow. */
export const outputsKey = '#outputs';

/** Checks the input object, evaluates what is known, and lowers the rest. */
export async function lowerCwlWorkflow(
  process: Process,
  job: JsonObject,
  options: LowerOptions = {},
): Promise<WorkflowDefinition> {
  const { root, prepared } = await completeRoot(process, job, options);
  const context = loweringContext(options);
  const known = (await withDigests(prepared, context.digest)) as JsonObject;
  const inputs = Object.fromEntries(
    Object.entries(known).map(([name, lit]): [string, Sym] => [name, { lit }]),
  );
  const name = displayNameOf(root);
  const isWorkflow = root.class === 'Workflow';
  const outputs = await lowerProcess(context, root, inputs, isWorkflow ? '' : name, overrideScope(options));
  const nodes = isWorkflow
    ? [...markResults(context.nodes, outputs), await outputsNode(context, root, outputs)]
    : context.nodes.map((node) => ({ ...node, result: true }));
  return { name, language: 'cwl', failurePolicy: 'stop', nodes };
}

/** A context without nodes. */
export function loweringContext(options: LowerOptions): LoweringContext {
  return {
    nodes: [],
    lowerProcess,
    origins: [],
    digest: options.digest ?? (async (path: string) => (await digestFile(path)).sha256),
    choices: {
      ...(options.container === undefined ? {} : { container: options.container }),
      ...(options.noReuse ? { noReuse: true } : {}),
    },
    trust: options.trust,
  };
}

/** The input object with defaults, sizes and secondary files, as the process sees it. */
export async function completeInputs(
  process: Process,
  job: JsonObject,
  options: LowerOptions = {},
): Promise<JsonObject> {
  return (await completeRoot(process, job, options)).prepared;
}

/** The process under the overrides, and its input object as it sees it. */
export async function completeRoot(
  process: Process,
  job: JsonObject,
  options: LowerOptions,
): Promise<{ readonly root: Process; readonly prepared: JsonObject }> {
  const given = withOverrides(process, options.requirements ?? []);
  const root = (await withLocalFiles(given as unknown as Json, options.fetchFile)) as unknown as Process;
  const requirements = nestRequirements(noRequirements, root);
  const evaluator = await createEvaluator(
    root.cwlVersion,
    requirements,
    [root.inputs as unknown as Json],
    options.trust,
  );
  const local = (await withLocalFiles(job, options.fetchFile)) as JsonObject;
  const prepared = await prepareJob(root, local, {
    evaluator,
    requirements,
    discover: true,
    fetchText: options.fetchText,
    placeOfInput: options.placeOfInput,
  });
  return { root, prepared };
}

/** Overrides stand in for the document's own requirements and also reach what is inside. */
function withOverrides(process: Process, overrides: readonly Requirement[]): Process {
  if (overrides.length === 0) return process;
  const replaced = new Set(overrides.map((one) => one.class));
  const others = process.requirements.filter((one) => !replaced.has(one.class));
  return { ...process, requirements: [...others, ...overrides] };
}

/** The requirements of the input object as the outermost scope. */
export function overrideScope(options: LowerOptions): Requirements {
  return nestRequirements(noRequirements, { requirements: options.requirements ?? [], hints: [] });
}

function markResults(
  nodes: readonly NodeDefinition[],
  outputs: Readonly<Record<string, Sym>>,
): NodeDefinition[] {
  const used = new Set(
    Object.values(outputs).flatMap((sym) => [...outputsUsed(sym)].map(({ node }) => node)),
  );
  return nodes.map((node) => (used.has(node.key) ? { ...node, result: true } : node));
}

async function outputsNode(
  context: LoweringContext,
  process: Process,
  outputs: Readonly<Record<string, Sym>>,
): Promise<NodeDefinition> {
  const writer = new SpecWriter([]);
  const { spec: job, identity } = writer.write(await digestSymbols(outputs, context.digest));
  // Every step has to run, also one whose outputs nobody uses.
  for (const key of unusedNodes(context.nodes)) writer.slotOf(key, true);
  const declared = process.outputs.map(({ name, type }) => ({ name, type }));
  const trust = context.trust === undefined ? {} : { trust: context.trust };
  return {
    key: outputsKey,
    name: 'outputs',
    type: nodeTypes.outputs,
    expands: false,
    parents: writer.parents,
    identity: { cwl: { outputs: declared as unknown as Json }, ...identity },
    spec: specJson({ job, outputs: declared, ...trust }),
    policy: defaultPolicy,
    result: true,
  };
}
