// Reads the fields of one CWL object: checks the form of each value, reports everything that is wrong with its place, and at the end
// names the fields that the object's kind does not have.
import { VarveError } from '../../../core/errors.ts';
import { cwlErrors } from '../error-codes.ts';
import { excerpt, hasExpression, parseTemplate } from '../expressions/template.ts';
import type { CwlVersion } from '../model/process.ts';
import { atLeast, knownFields, type ObjectKind } from './known-fields.ts';
import { nameHint, type Problems } from './problems.ts';
import {
  child,
  isNull,
  listNode,
  mapNode,
  placeOf,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  scalarNode,
} from './source-node.ts';

export interface ReaderContext {
  readonly problems: Problems;
  readonly version: CwlVersion;
}

/** Fields whose text is evaluated; elsewhere `$(…)` is just text. */
const expressionFields = new Set([
  'valueFrom',
  'outputEval',
  'stdin',
  'stdout',
  'stderr',
  'envValue',
  'entryname',
  'entry',
  'when',
  'expression',
  'pattern',
  'position',
  'timelimit',
]);

export class FieldReader {
  readonly node: SourceMap;
  private readonly kind: ObjectKind;
  private readonly context: ReaderContext;

  constructor(node: SourceMap, kind: ObjectKind, context: ReaderContext) {
    this.node = node;
    this.kind = kind;
    this.context = context;
    this.reportUnknown();
  }

  /** The node of a field; undefined when absent or null. */
  get(name: string): SourceNode | undefined {
    return child(this.node, name);
  }

  string(name: string): string | undefined {
    return this.read(name, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  requiredString(name: string): string {
    if (this.get(name) === undefined) this.missing(name);
    return this.string(name) ?? '';
  }

  boolean(name: string): boolean | undefined {
    return this.read(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  booleanOrExpression(name: string): boolean | string | undefined {
    return this.read(name, 'true, false or an expression', (value) =>
      typeof value === 'boolean' || isExpression(value) ? value : undefined,
    );
  }

  integerOrExpression(name: string): number | string | undefined {
    return this.read(name, 'a whole number or an expression', (value) =>
      Number.isInteger(value) || isExpression(value) ? (value as number | string) : undefined,
    );
  }

  integer(name: string): number | undefined {
    return this.read(name, 'a whole number', (value) =>
      Number.isInteger(value) ? (value as number) : undefined,
    );
  }

  numberOrExpression(name: string): number | string | undefined {
    return this.read(name, 'a number or an expression', (value) =>
      typeof value === 'number' || isExpression(value) ? value : undefined,
    );
  }

  expression(name: string): string | undefined {
    return this.read(name, 'an expression', (value) => (isExpression(value) ? value : undefined));
  }

  oneOf<T extends string>(name: string, symbols: readonly T[]): T | undefined {
    return this.read(name, `one of ${symbols.join(', ')}`, (value) =>
      symbols.find((symbol) => symbol === value),
    );
  }

  /** A text or a list of texts, always as a list. */
  strings(name: string): string[] | undefined {
    const node = this.get(name);
    if (node === undefined) return undefined;
    const items = node.kind === 'list' ? node.items : [node];
    const texts: string[] = [];
    for (const item of items) {
      if (item.kind === 'scalar' && typeof item.value === 'string') {
        texts.push(item.value);
        if (name === 'glob') this.noteExpression(item.value, item);
      } else this.wrong(name, 'a text or a list of texts', item);
    }
    return texts;
  }

  integers(name: string): number[] {
    const node = this.get(name);
    if (node === undefined) return [];
    if (node.kind !== 'list') {
      this.wrong(name, 'a list of whole numbers', node);
      return [];
    }
    return node.items.flatMap((item) => {
      if (item.kind === 'scalar' && Number.isInteger(item.value)) return [item.value as number];
      this.wrong(name, 'a list of whole numbers', item);
      return [];
    });
  }

  /** Documentation may be one text or several paragraphs. */
  doc(name = 'doc'): string | undefined {
    return this.strings(name)?.join('\n');
  }

  map(name: string): SourceMap | undefined {
    const node = this.get(name);
    if (node === undefined || node.kind === 'map') return node;
    this.wrong(name, 'a map', node);
    return undefined;
  }

  list(name: string): readonly SourceNode[] {
    const node = this.get(name);
    if (node === undefined) return [];
    return node.kind === 'list' ? node.items : [node];
  }

  /** A list of objects, which may be written as a map from `subject` to the object, or to the value of `predicate`. */
  identified(name: string, subject: string, predicate?: string): SourceMap[] {
    const node = this.get(name);
    if (node === undefined) return [];
    if (node.kind === 'scalar') {
      this.wrong(name, 'a list or a map', node);
      return [];
    }
    if (node.kind === 'list') {
      return node.items.flatMap((item) => {
        if (item.kind === 'map') return [item];
        this.wrong(name, `a list of maps with "${subject}"`, item);
        return [];
      });
    }
    return [...node.entries].flatMap(([key, entry]) => {
      const made = this.fromEntry(node, key, entry, subject, predicate);
      if (made === undefined) this.wrong(`${name}.${key}`, 'a map', entry.value);
      return made === undefined ? [] : [made];
    });
  }

  private fromEntry(
    node: SourceMap,
    key: string,
    entry: SourceEntry,
    subject: string,
    predicate: string | undefined,
  ): SourceMap | undefined {
    const { keyOffset, value } = entry;
    const at = {
      ...scalarNode(value, null),
      offset: value.source === node.source ? keyOffset : value.offset,
    };
    const identity: [string, SourceEntry] = [
      subject,
      { keyOffset, value: { ...scalarNode(node, key), offset: keyOffset } },
    ];
    if (value.kind === 'map') return mapNode(at, [...value.entries, identity]);
    if (isNull(value)) return mapNode(at, [identity]);
    if (predicate === undefined) return undefined;
    return mapNode(at, [identity, [predicate, { keyOffset, value }]]);
  }

  missing(name: string): void {
    this.context.problems.add(
      cwlErrors.CWL_MISSING_FIELD.with({ place: placeOf(this.node) }, name, this.kind),
    );
  }

  wrong(name: string, wanted: string, at?: SourceNode): void {
    const place = placeOf(at ?? this.get(name) ?? this.node);
    this.context.problems.add(cwlErrors.CWL_WRONG_VALUE.with({ place }, name, wanted));
  }

  private read<T>(name: string, wanted: string, accept: (value: unknown) => T | undefined): T | undefined {
    const node = this.get(name);
    if (node === undefined) return undefined;
    const value = node.kind === 'scalar' ? accept(node.value) : undefined;
    if (value === undefined) this.wrong(name, wanted, node);
    if (expressionFields.has(name) && typeof value === 'string') this.noteExpression(value, node);
    return value;
  }

  /** Checks that the brackets of an expression close; what is inside is checked on demand. */
  noteExpression(text: string, node: SourceNode): void {
    if (!hasExpression(text)) return;
    const { problems, version } = this.context;
    const place = placeOf(node);
    try {
      parseTemplate(text, version);
      problems.expressions.push({ text, version, place });
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      problems.add(cwlErrors.CWL_EXPRESSION.with({ place }, excerpt(text), 'its bracket is never closed'));
    }
  }

  private reportUnknown(): void {
    const known: Readonly<Record<string, CwlVersion>> = knownFields[this.kind];
    const { problems, version } = this.context;
    for (const [name, { value }] of this.node.entries) {
      if (Object.hasOwn(known, name)) {
        const needed = known[name]!;
        if (!atLeast(version, needed) && !isNull(value)) {
          const place = placeOf(this.node, name);
          problems.add(cwlErrors.CWL_FIELD_TOO_NEW.with({ place }, `"${name}"`, needed, version));
        }
      } else if (!name.includes(':')) {
        const place = placeOf(this.node, name);
        const hint = /^\$[({]/.test(name)
          ? 'put the whole expression in quotes: in YAML a colon with a space behind it ends a key'
          : nameHint(name, Object.keys(known));
        problems.add(cwlErrors.CWL_UNKNOWN_FIELD.with({ place, hint }, name, this.kind));
      }
    }
  }
}

/** True for a text that contains something to evaluate. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && /\$[({]/.test(value);
}

/** A list node of whatever a field holds: lists as they are, anything else as the only item. */
export function asList(node: SourceNode): readonly SourceNode[] {
  return node.kind === 'list' ? node.items : listNode(node, [node]).items;
}
