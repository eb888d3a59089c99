// The input object that a user gives: YAML or JSON with files relative to it, perhaps with requirements for the process.
import type { SourcePlace } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { buildRun } from '../load/build-process.ts';
import { buildRequirement } from '../load/build-requirement.ts';
import { DocumentStore, type ReadOptions } from '../load/document-store.ts';
import { expandImports } from '../load/expand-imports.ts';
import { fileValue } from '../load/file-value.ts';
import { Problems } from '../load/problems.ts';
import { placeOf, type SourceMap, type SourceNode } from '../load/source-node.ts';
import { TypeScope } from '../load/type-scope.ts';
import { resolveUrl } from '../load/uri.ts';
import type { CwlVersion } from '../model/process.ts';
import type { Requirement } from '../model/requirement.ts';

export interface JobDocument {
  readonly job: JsonObject;
  /** From `cwl:requirements`. */
  readonly requirements: readonly Requirement[];
  /** From `cwl:tool`: the process that the input object is for. */
  readonly tool?: string | undefined;
  placeOfInput(name: string): SourcePlace | undefined;
}

export interface JobOptions extends ReadOptions {
  /** What relative file locations are relative to, instead of the input object's own place. */
  readonly baseUrl?: string | undefined;
  readonly version?: CwlVersion | undefined;
  /** Prefixes that hold besides those that the input object declares itself. */
  readonly namespaces?: Readonly<Record<string, string>> | undefined;
}

const special = /^(?:cwl:|https:\/\/w3id\.org\/cwl\/cwl#)(requirements|tool)$/;

/** Reads an input object. */
export async function loadJob(url: string, options: JobOptions = {}): Promise<JobDocument> {
  const store = new DocumentStore(options);
  const parsed = await store.load(url);
  if (options.baseUrl !== undefined) parsed.source.baseUrl = options.baseUrl;
  parsed.source.namespaces = { ...options.namespaces, ...parsed.source.namespaces };
  const root = expandImports(parsed.root, store, [url]);
  if (root.kind !== 'map') {
    if (root.kind === 'scalar' && root.value === null) return emptyJob;
    throw cwlErrors.CWL_WRONG_VALUE.with(
      { place: placeOf(root) },
      'the input object',
      'a map from inputs to values',
    );
  }
  const job: Record<string, Json> = {};
  for (const [name, { value }] of root.entries)
    if (!special.test(name) && !name.startsWith('$')) job[name] = fileValue(value);
  const tool = root.entries.get('cwl:tool')?.value;
  return {
    job,
    requirements: requirementsOf(root, store, options.version ?? 'v1.2'),
    tool: tool?.kind === 'scalar' && typeof tool.value === 'string' ? resolveUrl(tool.value, url) : undefined,
    placeOfInput: (name) => (root.entries.has(name) ? placeOf(root, name) : undefined),
  };
}

/** For a process without inputs, or one whose inputs all have defaults. */
export const emptyJob: JobDocument = { job: {}, requirements: [], placeOfInput: () => undefined };

function requirementsOf(root: SourceMap, store: DocumentStore, version: CwlVersion): Requirement[] {
  const declared = [...root.entries].find(([name]) => special.exec(name)?.[1] === 'requirements')?.[1].value;
  if (declared === undefined) return [];
  const problems = new Problems();
  const context = {
    store,
    problems,
    version,
    processId: root.source.url,
    types: new TypeScope(problems),
    places: new WeakMap<object, SourceNode>(),
    open: [],
    buildRun,
  };
  const nodes = declared.kind === 'list' ? declared.items : [declared];
  const requirements = nodes.flatMap((node) => {
    if (node.kind === 'map') return buildRequirement(node, false, context) ?? [];
    problems.add(
      cwlErrors.CWL_WRONG_VALUE.with({ place: placeOf(node) }, 'cwl:requirements', 'a list of requirements'),
    );
    return [];
  });
  problems.throwIfAny();
  return requirements;
}
