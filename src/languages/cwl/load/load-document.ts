// From a path or URL to a checked process in normal form, with every problem of the documents reported at once.
import type { SourcePlace, VarveError } from '../../../core/errors.ts';
import type { Process } from '../model/process.ts';
import { type BuildContext, placeIn } from './build-context.ts';
import { buildProcessAt, buildRun } from './build-process.ts';
import { checkScripts } from './check-scripts.ts';
import { checkWorkflow } from './check-workflow.ts';
import { DocumentStore, type ReadOptions } from './document-store.ts';
import { Problems } from './problems.ts';
import type { SourceNode } from './source-node.ts';
import { TypeScope } from './type-scope.ts';

export interface LoadOptions extends ReadOptions {
  /** Also check that every script is JavaScript, as validation should. */
  readonly checkScripts?: boolean | undefined;
}

export interface LoadedDocument {
  readonly process: Process;
  /** The document as it was read. */
  readonly text: string;
  /** What is odd but no error: unknown hints, links that fit only partly. */
  readonly warnings: readonly VarveError[];
  /** Every document that was read. */
  readonly urls: readonly string[];
  /** Their texts, by URL. */
  readonly texts: ReadonlyMap<string, string>;
  /** The prefixes that the document declares; they count in its input objects as well. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Where a part of the model was written. */
  place(part: object): SourcePlace | undefined;
}

/** Loads and checks the process that a URL names; throws one VarveError that holds every problem. */
export async function loadDocument(url: string, options: LoadOptions = {}): Promise<LoadedDocument> {
  const store = new DocumentStore(options);
  const { source } = await store.load(url);
  const problems = new Problems();
  const places = new WeakMap<object, SourceNode>();
  const context: BuildContext = {
    store,
    problems,
    version: 'v1.2',
    processId: url,
    types: new TypeScope(problems),
    places,
    open: [],
    buildRun,
  };
  const process = problems.collect(() => buildProcessAt(url, undefined, context));
  if (process !== undefined) problems.collect(() => checkWorkflow(process, problems, places));
  if (options.checkScripts) await checkScripts(problems);
  problems.throwIfAny();
  return {
    process: process!,
    text: source.text,
    warnings: problems.warnings,
    urls: store.urls(),
    texts: store.readTexts(),
    namespaces: source.namespaces,
    place: (part) => placeIn(places, part),
  };
}
