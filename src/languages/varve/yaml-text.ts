// YAML through the `yaml` package: value, syntax problems and places. Loaded only when a document is YAML.
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  YAMLError,
} from 'yaml';
import type { Json } from '../../core/json.ts';
import type { PlaceRequest } from './problems.ts';

/** A problem of the text itself, at an offset. */
export interface TextProblem {
  readonly code: 'DOCUMENT_SYNTAX' | 'DOCUMENT_DUPLICATE_KEY' | 'DOCUMENT_ALIASES' | 'DOCUMENT_TOO_DEEP';
  readonly detail: string;
  readonly offset: number;
}

export type YamlText =
  | { readonly value: Json; locate(requests: readonly PlaceRequest[]): number[] }
  | { readonly problems: readonly TextProblem[] };

/** How many times aliases may stand for their anchors, counted through all levels. */
const aliasLimit = 10_000;

/** Parses one YAML document; never throws on account of the text. */
export function readYaml(text: string): YamlText {
  let document: Document.Parsed;
  try {
    document = parseDocument(text, {
      version: '1.2',
      uniqueKeys: true,
      prettyErrors: false,
      logLevel: 'error',
    });
  } catch (error) {
    return { problems: [thrown(error)] };
  }
  const complaints = [...document.errors, ...document.warnings];
  if (complaints.length > 0) return { problems: complaints.map((error) => complaint(text, error)) };
  try {
    const value = (document.toJS({ maxAliasCount: aliasLimit }) ?? null) as Json;
    return { value, locate: (requests) => requests.map((request) => locate(document, request)) };
  } catch (error) {
    return { problems: [thrown(error)] };
  }
}

function complaint(text: string, error: YAMLError): TextProblem {
  const offset = error.pos[0];
  if (/call stack/.test(error.message)) return { code: 'DOCUMENT_TOO_DEEP', detail: '', offset };
  if (error.code !== 'DUPLICATE_KEY')
    return { code: 'DOCUMENT_SYNTAX', detail: error.message.split('\n')[0]!, offset };
  const key = /^[^\s:,}\]]+/.exec(text.slice(offset, offset + 120))?.[0] ?? '';
  return { code: 'DOCUMENT_DUPLICATE_KEY', detail: key.replace(/^["']|["']$/g, ''), offset };
}

/** The parser recurses, so nesting shows as an exhausted stack, thrown or reported; excessive aliases show as a ReferenceError. */
function thrown(error: unknown): TextProblem {
  if (error instanceof RangeError) return { code: 'DOCUMENT_TOO_DEEP', detail: '', offset: 0 };
  if (error instanceof ReferenceError && /alias count/.test(error.message))
    return { code: 'DOCUMENT_ALIASES', detail: '', offset: 0 };
  const offset = error instanceof YAMLError ? error.pos[0] : 0;
  const detail = error instanceof Error ? error.message.split('\n')[0]! : String(error);
  return { code: 'DOCUMENT_SYNTAX', detail, offset };
}

function locate(document: Document.Parsed, request: PlaceRequest): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, key] of request.path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    let next: Node | null | undefined;
    let keyOffset: number | undefined;
    if (isSeq(node)) next = node.items[key as number] as Node | undefined;
    else if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && keyText(item.key) === String(key));
      if (pair === undefined) return offset;
      keyOffset = (pair.key as Node | null)?.range?.[0];
      next = pair.value as Node | null;
    }
    const valueOffset = next?.range?.[0] ?? keyOffset;
    if (valueOffset === undefined) return offset;
    const last = depth === request.path.length - 1;
    offset = last && request.at === 'key' ? (keyOffset ?? valueOffset) : valueOffset;
    node = next;
  }
  return offset;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}
