// A workflow document to the definition that the engine plans. In order: read, check the shape, check the graph, put in
// parameters, digest all files in one call, lower each action. Problems of all steps are reported together.
import { readdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { VarveError } from '../../core/errors.ts';
import { isList, isObject, type Json } from '../../core/json.ts';
import type { CallableTool, FindTool } from '../../core/ports/tool-call.ts';
import type { FailurePolicy, NodeDefinition, WorkflowDefinition } from '../../core/workflow.ts';
import { actionPath, checkDocumentShape } from './check-actions.ts';
import { checkShape } from './check-shape.ts';
import type { FindContainerEngine } from './container-job.ts';
import { digestFiles } from './digest-files.ts';
import type { ContainerDocument, ContainerEngine, DefaultsDocument, WorkflowDocument } from './document.ts';
import { type DigestFiles, type FetchUrls, FileTable } from './file-table.ts';
import { resolveGiven, wantFiles } from './given-input.ts';
import { checkGraph, idText } from './graph-rules.ts';
import { lowerAction } from './lower-action.ts';
import { findCalled, isCall, lowerCall } from './lower-call.ts';
import { wantInputs } from './lower-inputs.ts';
import { lowerDefaults } from './lower-policy.ts';
import type { CheckedAction, LoweringContext } from './lowering-context.ts';
import { NameSet } from './name-set.ts';
import { resolveParameters } from './parameters.ts';
import { Problems, type ReadDocument } from './problems.ts';
import { wantPrograms } from './program-files.ts';
import { documentFromValue, readDocument } from './read-document.ts';

export type VarveWorkflowSource =
  /** Text with the path of its file; relative paths in it start at the file's folder. */
  | { readonly path: string; readonly text: string }
  /** A document built in memory; relative paths in it start at `folder`. */
  | { readonly document: WorkflowDocument; readonly folder: string; readonly path?: string };

export interface LoadOptions {
  /** Values of parameters; text is read as the declared type. */
  readonly parameters?: Readonly<Record<string, Json>>;
  /** Where relative paths in `parameters` start; the document's folder unless given. */
  readonly parametersFolder?: string;
  /** Digests of existing files, in one call; read from the disk unless given. */
  readonly digestFiles?: DigestFiles;
  /** Fetches `url` inputs; without it they are an `unsupported` problem. */
  readonly fetchUrls?: FetchUrls;
  /** Names beside the document, which commands may mean; read from the disk unless given. */
  readonly neighbours?: ReadonlySet<string> | undefined;
  /** Looks for a working container engine; without it nobody looks before the action runs. */
  readonly containerEngine?: FindContainerEngine;
  /** Finds the tools that actions of type `cwl` call; without it they are an `unsupported` problem. */
  readonly findTool?: FindTool | undefined;
}

export const varveLanguage = 'varve';

/** Reads, checks and lowers a workflow; throws one VarveError whose `problems` are all that is wrong with it. */
export async function loadVarveWorkflow(
  source: VarveWorkflowSource,
  options: LoadOptions = {},
): Promise<WorkflowDefinition> {
  const inMemory = 'document' in source;
  const folder = inMemory ? resolve(source.folder) : dirname(resolve(source.path));
  const document = inMemory
    ? documentFromValue(source.path ?? 'workflow', source.document as unknown as Json)
    : await readDocument(source.path, source.text);
  return lowerDocument(document, folder, options);
}

/** All problems of a workflow, in the order of the check; an empty list means that it can be submitted. */
export async function checkVarveWorkflow(
  source: VarveWorkflowSource,
  options: LoadOptions = {},
): Promise<readonly VarveError[]> {
  try {
    await loadVarveWorkflow(source, options);
    return [];
  } catch (error) {
    if (error instanceof VarveError) return error.problems.length > 0 ? error.problems : [error];
    throw error;
  }
}

async function lowerDocument(
  document: ReadDocument,
  folder: string,
  options: LoadOptions,
): Promise<WorkflowDefinition> {
  const problems = new Problems(document);
  const root = document.value;
  if (!isObject(root)) {
    checkShape(
      { is: 'object', what: 'an object with name and actions', fields: {} },
      root,
      undefined,
      problems,
    );
    return problems.throwAll();
  }
  const { workflowRight, actions: right } = checkDocumentShape(root, problems);
  const graph = checkGraph(root, problems);
  const declared = isObject(root.params) && workflowRight ? root.params : {};
  const defaults = (isObject(root.defaults) && workflowRight ? root.defaults : {}) as DefaultsDocument;
  const folders = { document: folder, given: options.parametersFolder ?? folder };
  const parameters = resolveParameters(
    declared,
    workflowRight ? (options.parameters ?? {}) : {},
    folders,
    problems,
  );
  const context: LoweringContext = {
    problems,
    folder,
    neighbours: new NameSet(options.neighbours ?? (await neighboursOf(folder))),
    actions: isList(root.actions) ? root.actions : [],
    graph,
    parameters,
    parameterNames: isObject(root.params) ? Object.keys(root.params) : [],
    files: new FileTable(),
    programs: new Map(),
    missingEngines: await missingEngines(right, defaults, options.containerEngine),
    tools: await calledTools(right, options.findTool, folder, problems),
    defaults,
    defaultPolicy: lowerDefaults(defaults),
  };
  collectFiles(right, { ...context, problems: new Problems(document) });
  await context.files.resolve(options.digestFiles ?? digestFiles, options.fetchUrls);

  const end = idText(root.endActionId);
  const nodes: NodeDefinition[] = [];
  for (const [index, action] of right.entries()) {
    if (action === undefined) continue;
    const result = graph.hasChildren[index] === 0 || (end !== undefined && String(action.id) === end);
    if (isCall(action)) {
      const node = await lowerCall(action, actionPath(index), result, context);
      if (node !== undefined) nodes.push(node);
    } else nodes.push(lowerAction(action, actionPath(index), result, context));
  }
  problems.throwIfAny();
  return {
    name: String(root.name),
    language: varveLanguage,
    failurePolicy: (root.failurePolicy ?? 'stop') as FailurePolicy,
    nodes,
  };
}

function collectFiles(actions: readonly (CheckedAction | undefined)[], context: LoweringContext): void {
  for (const [index, action] of actions.entries()) {
    if (action === undefined) continue;
    if (action.inputs !== undefined) wantInputs(action, actionPath(index), context);
    if (isCall(action)) continue;
    const stdin = isObject(action.stdin) && resolveGiven(action.stdin, actionPath(index), context);
    if (stdin) wantFiles(stdin, context);
    wantPrograms(action, context);
  }
}

async function calledTools(
  actions: readonly (CheckedAction | undefined)[],
  find: FindTool | undefined,
  folder: string,
  problems: Problems,
): Promise<ReadonlyMap<string, CallableTool>> {
  const tools = new Map<string, CallableTool>();
  // Many actions may call one tool, whose document is read once.
  const found = new Map<string, ReturnType<FindTool>>();
  const findOnce: FindTool | undefined =
    find && ((name) => found.get(name) ?? found.set(name, find(name)).get(name)!);
  for (const [index, action] of actions.entries()) {
    if (action === undefined || !isCall(action)) continue;
    const tool = await findCalled(action, actionPath(index), findOnce, folder, problems);
    if (tool !== undefined) tools.set(String(action.id), tool);
  }
  return tools;
}

async function neighboursOf(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(folder).catch(() => []));
}

async function missingEngines(
  actions: readonly (CheckedAction | undefined)[],
  defaults: DefaultsDocument,
  find: FindContainerEngine | undefined,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  if (find === undefined) return missing;
  const wanted = new Set<ContainerEngine | undefined>();
  for (const action of actions) {
    if (action === undefined || isCall(action)) continue;
    const container = action.container ?? defaults.container;
    if (container !== undefined)
      wanted.add(isObject(container) ? (container as ContainerDocument).engine : undefined);
  }
  for (const engine of wanted) if ((await find(engine)) === undefined) missing.add(engine ?? 'any');
  return missing;
}
