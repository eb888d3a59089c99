// Text to SourceNode: YAML 1.2 (JSON is a part of it) with every syntax error reported at its place. Aliases are shared, not
// copied, and their expansion is bounded, so a small text cannot become a huge value.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import type { VarveError } from '../../../core/errors.ts';
import { cwlErrors } from '../error-codes.ts';
import { IndentRepair } from './indent-repair.ts';
import { maxDepth, parseJsonSource } from './parse-json.ts';
import { placeAt, type Source, type SourceEntry, type SourceNode, scalarNode } from './source-node.ts';

/** More nodes than any real document has, once aliases are counted as often as they are used. */
const maxNodes = 5_000_000;

export interface ParsedSource {
  readonly source: Source;
  readonly root: SourceNode;
}

/** Parses a text that was read from `url`; throws at the first syntax problem. */
export function parseSource(url: string, text: string): ParsedSource {
  const source: Source = { url, text, baseUrl: url, namespaces: {} };
  const json = /^\s*[{[]/.test(text) ? parseJsonSource(source) : undefined;
  if (json !== undefined) return { source, root: json };
  const { document, offset } = parseYaml(source);
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  // Only the first: the ones behind it are mostly its consequences.
  if (first !== undefined) {
    const place = placeAt(source, offset(first.pos[0]));
    throw cwlErrors.CWL_SYNTAX.with({ place }, first.message.replace(/\s+/g, ' '));
  }
  try {
    const root = new Converter(source, document, offset).convert(document.contents as Node | null, 0);
    return { source, root };
  } catch (error) {
    throw error instanceof RangeError ? tooComplex(source, error) : error;
  }
}

/** How many badly indented parts a document may have. */
const maxRepairs = 100;

interface ParsedYaml {
  readonly document: Document;
  /** Leads an offset in what was parsed back to the source. */
  offset(offset: number): number;
}

function parseYaml(source: Source): ParsedYaml {
  try {
    let document = parseText(source.text);
    if (document.errors.length === 0) return { document, offset: (offset) => offset };
    const repair = new IndentRepair(source.text);
    for (let repairs = 0; repairs < maxRepairs; repairs += 1) {
      const repaired = document.errors.some(({ message, pos }) =>
        repair.repair(message, repair.offset(pos[0])),
      );
      if (!repaired) break;
      document = parseText(repair.text);
    }
    return { document, offset: (offset) => repair.offset(offset) };
  } catch (error) {
    throw tooComplex(source, error);
  }
}

function parseText(text: string): Document {
  return parseDocument(text, {
    prettyErrors: false,
    version: '1.2',
    schema: 'core',
    logLevel: 'silent',
    stringKeys: false,
    // Looked for when the document is converted: the parser compares each key with all before it.
    uniqueKeys: false,
    // Like the parsers that documents were written with: what is unambiguous is accepted.
    strict: false,
  });
}

function tooComplex(source: Source, error: unknown): VarveError {
  const reason = error instanceof Error ? error.message : String(error);
  const message = /call stack|too deep/i.test(reason) ? 'it is nested too deeply' : reason;
  return cwlErrors.CWL_SYNTAX.with({ place: placeAt(source, 0) }, message);
}

class Converter {
  private readonly converted = new Map<Node, { node: SourceNode; size: number }>();
  private readonly open = new Set<Node>();
  private readonly source: Source;
  private readonly document: Document;
  private readonly original: (offset: number) => number;
  private count = 0;

  constructor(source: Source, document: Document, original: (offset: number) => number) {
    this.source = source;
    this.document = document;
    this.original = original;
  }

  convert(node: Node | null | undefined, fallbackOffset: number): SourceNode {
    const offset = node?.range == null ? fallbackOffset : this.original(node.range[0]);
    if (node === null || node === undefined) return this.scalar(null, offset);
    if (isAlias(node)) return this.alias(node.resolve(this.document), node.source, offset);
    const before = this.count;
    this.open.add(node);
    if (this.open.size > maxDepth) throw this.error('it is nested too deeply', offset);
    const result = this.convertOwn(node, offset);
    this.open.delete(node);
    if ((node as { anchor?: string }).anchor)
      this.converted.set(node, { node: result, size: this.count - before });
    return result;
  }

  private convertOwn(node: Node, offset: number): SourceNode {
    this.take(1, offset);
    if (isMap(node)) return this.map(node, offset);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.convert(item as Node, offset));
      return { kind: 'list', items, source: this.source, offset };
    }
    if (!isScalar(node)) throw this.error('this is not allowed here', offset);
    const value: unknown = node.value;
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
      return this.scalar(value as string | number | boolean | null, offset);
    throw this.error(`a value of this kind (${typeof value}) is not allowed`, offset);
  }

  private map(node: YAMLMap, offset: number): SourceNode {
    const entries = new Map<string, SourceEntry>();
    const merged: SourceNode[] = [];
    for (const pair of node.items) {
      const key = pair.key as Node | null;
      const keyOffset = key?.range == null ? offset : this.original(key.range[0]);
      if (key !== null && !isScalar(key)) throw this.error('a key must be plain text', keyOffset);
      const name = key === null || key.value === null ? 'null' : String(key.value);
      if (entries.has(name) || (name === '<<' && merged.length > 0))
        throw this.error('Map keys must be unique', keyOffset);
      const value = this.convert(pair.value as Node | null, keyOffset);
      if (name === '<<') merged.push(value);
      else entries.set(name, { keyOffset, value });
    }
    for (const base of merged.flatMap((one) => (one.kind === 'list' ? one.items : [one]))) {
      if (base.kind !== 'map') throw this.error('only maps can be merged with "<<"', base.offset);
      for (const [name, entry] of base.entries) if (!entries.has(name)) entries.set(name, entry);
    }
    return { kind: 'map', entries, source: this.source, offset };
  }

  private alias(target: Node | undefined, name: string, offset: number): SourceNode {
    if (target === undefined || this.open.has(target))
      throw this.error(`the alias *${name} has no anchor, or contains itself`, offset);
    const known = this.converted.get(target);
    if (known === undefined) return this.convert(target, offset);
    this.take(known.size, offset);
    return known.node.kind === 'scalar' ? scalarNode(known.node, known.node.value) : known.node;
  }

  private take(nodes: number, offset: number): void {
    this.count += nodes;
    if (this.count > maxNodes)
      throw this.error('the document is too large once its aliases are followed', offset);
  }

  private scalar(value: string | number | boolean | null, offset: number): SourceNode {
    return { kind: 'scalar', value, source: this.source, offset };
  }

  private error(message: string, offset: number): VarveError {
    return cwlErrors.CWL_SYNTAX.with({ place: placeAt(this.source, offset) }, message);
  }
}
