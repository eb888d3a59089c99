// A process node of any class to its normal form; `run` is followed into other documents, each by its own cwlVersion.
import { posix } from 'node:path';
import { cwlErrors } from '../error-codes.ts';
import type { CwlVersion, Process } from '../model/process.ts';
import type { BuildContext } from './build-context.ts';
import { buildCommandLineTool, buildExpressionTool, buildOperation } from './build-tool.ts';
import { buildWorkflow } from './build-workflow.ts';
import { expandDocument, findByFragment } from './expand-imports.ts';
import { FieldReader } from './field-reader.ts';
import { atLeast, processClasses } from './known-fields.ts';
import { nameHint } from './problems.ts';
import { child, placeOf, type SourceMap, type SourceNode, stringAt } from './source-node.ts';
import { TypeScope } from './type-scope.ts';
import { expandPrefix, fragmentOf, pathOfUrl, resolveLink, resolveUrl, withoutFragment } from './uri.ts';

const builders = {
  CommandLineTool: buildCommandLineTool,
  ExpressionTool: buildExpressionTool,
  Workflow: buildWorkflow,
  Operation: buildOperation,
} as const;

/** Builds the process that a URL (document with optional fragment) names. */
export function buildProcessAt(
  url: string,
  from: SourceNode | undefined,
  context: BuildContext,
): Process | undefined {
  const root = expandDocument(url, from, context.store);
  const version = versionOf(root, context);
  if (version === undefined) return undefined;
  const node = findProcess(root, fragmentOf(url), url, from, context);
  if (node === undefined) return undefined;
  const processId = identifierOf(node) ?? withoutFragment(url);
  return buildProcess(node, root, { ...context, version, processId });
}

/** The declared version, or that of the document which refers here. */
function versionOf(root: SourceNode, context: BuildContext): CwlVersion | undefined {
  const node = child(root, 'cwlVersion');
  if (node === undefined) {
    if (context.open.length > 0) return context.version;
    const hint = 'add the line: cwlVersion: v1.2';
    context.problems.add(
      cwlErrors.CWL_MISSING_FIELD.with({ place: placeOf(root), hint }, 'cwlVersion', 'a CWL document'),
    );
    return undefined;
  }
  const written = node.kind === 'scalar' ? String(node.value) : 'that is no text';
  const version = /^(?:cwl:|https:\/\/w3id\.org\/cwl\/cwl#)?(v1\.[012])(\.0-dev\d+|\.\d+)?$/.exec(
    written,
  )?.[1];
  if (version === undefined) {
    context.problems.add(cwlErrors.CWL_VERSION.with({ place: placeOf(node) }, written));
    return undefined;
  }
  return version as CwlVersion;
}

function findProcess(
  root: SourceNode,
  fragment: string | undefined,
  url: string,
  from: SourceNode | undefined,
  context: BuildContext,
): SourceMap | undefined {
  const graph = child(root, '$graph');
  if (root.kind === 'map' && graph === undefined) {
    if (fragment === undefined || fragment === '') return root;
    const found = findByFragment(root, fragment);
    if (found !== undefined) return found;
  }
  const processes = processesOf(graph);
  const wanted = fragment ?? 'main';
  const [only] = processes.values();
  const count = graph?.kind === 'list' ? graph.items.filter(({ kind }) => kind === 'map').length : 0;
  const found = processes.get(wanted) ?? (fragment === undefined && count === 1 ? only : undefined);
  if (found !== undefined) return found;
  const names = [...processes.keys()].filter((id) => id !== '');
  const document = withoutFragment(url);
  if (graph !== undefined && fragment === undefined) {
    const place = placeOf(from ?? graph);
    const hint = entryHint(document, names);
    context.problems.add(cwlErrors.CWL_NO_ENTRY.with({ place, hint }, document, count));
    return undefined;
  }
  const place = placeOf(from ?? root);
  const hint = nameHint(wanted, names);
  context.problems.add(cwlErrors.CWL_NO_PROCESS.with({ place, hint }, `"${wanted}" in ${document}`));
  return undefined;
}

/** How to name one of the processes. */
function entryHint(document: string, names: readonly string[]): string {
  if (names.length === 0)
    return 'give each process in the $graph an id, and "main" to the one that is to be run';
  const file = posix.basename(pathOfUrl(document) ?? document);
  const shown = names.slice(0, mostNames).map((name) => `${file}#${name}`);
  return `name one of them: ${shown.join(', ')}${names.length > mostNames ? ', …' : ''}`;
}

const mostNames = 8;

const graphs = new WeakMap<SourceNode, Map<string, SourceMap>>();

/** The processes of a $graph by their fragments. */
function processesOf(graph: SourceNode | undefined): Map<string, SourceMap> {
  if (graph?.kind !== 'list') return new Map();
  let processes = graphs.get(graph);
  if (processes === undefined) {
    processes = new Map();
    for (const node of graph.items) {
      if (node.kind !== 'map') continue;
      const id = stringAt(node, 'id') ?? '';
      processes.set(id.slice(id.indexOf('#') + 1), node);
    }
    graphs.set(graph, processes);
  }
  return processes;
}

function identifierOf(node: SourceMap): string | undefined {
  const id = stringAt(node, 'id');
  if (id === undefined) return undefined;
  const expanded = expandPrefix(id, node.source.namespaces);
  return resolveUrl(
    expanded.includes('#') || expanded.includes('://') ? expanded : `#${expanded}`,
    node.source.baseUrl,
  );
}

/** Builds what a step's `run` holds: the name of a process, or a process. */
export function buildRun(node: SourceNode, context: BuildContext): Process | undefined {
  if (node.kind === 'map') {
    const own = child(node, 'cwlVersion');
    const version = own === undefined ? context.version : versionOf(node, context);
    if (version === undefined) return undefined;
    return buildProcess(node, node, {
      ...context,
      version,
      processId: identifierOf(node) ?? context.processId,
    });
  }
  if (node.kind !== 'scalar' || typeof node.value !== 'string') {
    context.problems.add(
      cwlErrors.CWL_WRONG_VALUE.with({ place: placeOf(node) }, 'run', 'a document or a process'),
    );
    return undefined;
  }
  const url = resolveLink(node.value, node.source);
  return context.problems.collect(() => buildProcessAt(url, node, context));
}

function buildProcess(node: SourceMap, root: SourceNode, outer: BuildContext): Process | undefined {
  const { problems, processId } = outer;
  if (outer.open.includes(processId)) {
    const chain = [...outer.open.slice(outer.open.indexOf(processId)), processId].join(' → ');
    problems.add(cwlErrors.CWL_IMPORT_CYCLE.with({ place: placeOf(node) }, chain));
    return undefined;
  }
  const written = stringAt(node, 'class')?.replace(/^(cwl:|https:\/\/w3id\.org\/cwl\/cwl#)/, '');
  const name = processClasses.find((one) => one === written);
  if (name === undefined || (name === 'Operation' && !atLeast(outer.version, 'v1.2'))) {
    const hint = written === undefined ? undefined : nameHint(written, processClasses);
    const place = placeOf(child(node, 'class') ?? node);
    const wanted = `one of ${processClasses.join(', ')}`;
    problems.add(cwlErrors.CWL_WRONG_VALUE.with({ place, hint }, 'class', wanted));
    return undefined;
  }
  const types = new TypeScope(problems, outer.types);
  for (const field of ['requirements', 'hints']) declareTypes(child(node, field), types);
  const context = { ...outer, types, open: [...outer.open, processId] };
  return builders[name](new FieldReader(node, name, context), root, context);
}

function declareTypes(declared: SourceNode | undefined, types: TypeScope): void {
  if (declared?.kind === 'map') {
    const schemas = child(declared, 'SchemaDefRequirement');
    const list = child(schemas, 'types');
    if (list !== undefined) types.declare(list);
  }
  if (declared?.kind !== 'list') return;
  for (const item of declared.items) {
    if (stringAt(item, 'class') !== 'SchemaDefRequirement') continue;
    const list = child(item, 'types');
    if (list !== undefined) types.declare(list);
  }
}
