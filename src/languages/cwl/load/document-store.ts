// Reads documents once each, follows what they refer to ($import, $include, $mixin, run), and keeps the parsed forms, so that
// building the model afterwards needs no input or output. Local files are read directly; anything else goes through `fetchText`.
import { readFileSync, statSync } from 'node:fs';
import type { VarveError } from '../../../core/errors.ts';
import { cwlErrors } from '../error-codes.ts';
import { type ParsedSource, parseSource } from './parse-source.ts';
import { displayName, placeOf, type SourceNode, stringAt } from './source-node.ts';
import { pathOfUrl, resolveLink, withoutFragment } from './uri.ts';

/** Fetches the text of an http(s) document. */
export type FetchText = (url: string) => Promise<string>;

export interface ReadOptions {
  /** Reads http(s) documents; without it they are an error. */
  readonly fetchText?: FetchText | undefined;
  /** Reads every document instead: nothing is read from the disk. */
  readonly readText?: FetchText | undefined;
}

/** Larger than any document; protects against naming a data file by mistake. */
const maxDocumentBytes = 256 * 1024 * 1024;

const documentKeys = new Set(['$import', '$mixin', 'run']);

export class DocumentStore {
  private readonly documents = new Map<string, ParsedSource | VarveError>();
  private readonly texts = new Map<string, string | VarveError>();
  private readonly readDocument: FetchText;
  /** Documents with their directives resolved, by URL. */
  readonly expanded = new Map<string, SourceNode>();

  constructor({ readText, fetchText }: ReadOptions = {}) {
    this.readDocument = readText ?? ((url) => readAny(url, fetchText));
  }

  /** Reads the document and, transitively, everything it refers to. Only the first document must be readable. */
  async load(url: string): Promise<ParsedSource> {
    const wanted = [withoutFragment(url)];
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      if (this.documents.has(next)) continue;
      const parsed = await this.read(next);
      this.documents.set(next, parsed);
      if (!('root' in parsed)) continue;
      readPreamble(parsed);
      for (const reference of referencesIn(parsed.root)) {
        const target = withoutFragment(resolveLink(reference.value, parsed.source));
        if (reference.key === '$include') await this.readText(target);
        else if (!this.documents.has(target)) wanted.push(target);
      }
    }
    return this.document(url);
  }

  /** A document that `load` has met; throws its own error when it could not be read. */
  document(url: string, from?: SourceNode): ParsedSource {
    const parsed = this.documents.get(withoutFragment(url)) ?? cwlErrors.CWL_NOT_READABLE(url, 'not found');
    if ('root' in parsed) return parsed;
    if (from === undefined || parsed.place !== undefined || parsed.problems.length > 0) throw parsed;
    throw cwlErrors.CWL_NOT_READABLE.with({ place: placeOf(from) }, displayName(url), reasonOf(parsed));
  }

  /** The text that an $include names. */
  text(url: string, from: SourceNode): string {
    const text = this.texts.get(withoutFragment(url));
    if (typeof text === 'string') return text;
    const reason = text === undefined ? 'not found' : reasonOf(text);
    throw cwlErrors.CWL_NOT_READABLE.with({ place: placeOf(from) }, displayName(url), reason);
  }

  /** Every document and included text that was read, as URLs. */
  urls(): string[] {
    return [...this.readTexts().keys()];
  }

  readTexts(): Map<string, string> {
    return new Map(
      [...this.texts].flatMap(([url, text]) => (typeof text === 'string' ? [[url, text] as const] : [])),
    );
  }

  private async read(url: string): Promise<ParsedSource | VarveError> {
    const text = await this.readText(url);
    if (typeof text !== 'string') return text;
    try {
      return parseSource(url, text);
    } catch (error) {
      return error as VarveError;
    }
  }

  private async readText(url: string): Promise<string | VarveError> {
    const known = this.texts.get(url);
    if (known !== undefined) return known;
    const text = await this.readDocument(url).catch((error: unknown) =>
      cwlErrors.CWL_NOT_READABLE.with({ cause: error }, displayName(url), plainReason(error)),
    );
    this.texts.set(url, text);
    return text;
  }
}

async function readAny(url: string, fetchText: FetchText | undefined): Promise<string> {
  const path = pathOfUrl(url);
  if (path !== undefined) {
    const facts = statSync(path);
    if (facts.isDirectory()) throw new Error('it is a directory');
    if (facts.size > maxDocumentBytes) throw new Error(`it is larger than ${maxDocumentBytes} bytes`);
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  }
  if (fetchText === undefined) throw new Error('only local files can be read here');
  return await fetchText(url);
}

function reasonOf(error: VarveError): string {
  const cause = error.cause;
  return cause === undefined ? error.message : plainReason(cause);
}

function plainReason(error: unknown): string {
  const code = (error as { code?: string }).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES') return 'permission is denied';
  return error instanceof Error ? error.message : String(error);
}

/** Takes $base and $namespaces of a document's root. */
function readPreamble(parsed: ParsedSource): void {
  const { root, source } = parsed;
  if (root.kind !== 'map') return;
  const declared = root.entries.get('$namespaces')?.value;
  if (declared?.kind === 'map') {
    const namespaces: Record<string, string> = { cwl: 'https://w3id.org/cwl/cwl#' };
    for (const [prefix, entry] of declared.entries)
      if (entry.value.kind === 'scalar' && typeof entry.value.value === 'string')
        namespaces[prefix] = entry.value.value;
    source.namespaces = namespaces;
  }
  const base = stringAt(root, '$base');
  if (base !== undefined)
    source.baseUrl = resolveLink(base, { baseUrl: source.url, namespaces: source.namespaces });
}

function* referencesIn(node: SourceNode): Generator<{ key: string; value: string }> {
  if (node.kind === 'list') {
    for (const item of node.items) yield* referencesIn(item);
  } else if (node.kind === 'map') {
    for (const [key, { value }] of node.entries) {
      const named = documentKeys.has(key) || key === '$include';
      if (named && value.kind === 'scalar' && typeof value.value === 'string') {
        if (!value.value.startsWith('#')) yield { key, value: value.value };
      } else yield* referencesIn(value);
    }
  }
}
