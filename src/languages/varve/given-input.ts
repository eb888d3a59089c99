// Literal inputs of an action: parameters are put in, then files become digests. The same walk first collects the files
// that must be digested and later builds the specs.
import { isList, isObject, type Json } from '../../core/json.ts';
import { languageErrors } from './error-codes.ts';
import type { FetchedFile, FileDigest } from './file-table.ts';
import { type GivenValue, givenPath, isFetchable, urlName } from './given-value.ts';
import type { FileSpec, InputSpec } from './input-spec.ts';
import { parameterText, wholeParameter } from './lower-template.ts';
import type { LoweringContext } from './lowering-context.ts';
import type { DocumentPath } from './problems.ts';

/** The value of a checked literal with its parameters put in; undefined when a problem was noted. */
export function resolveGiven(
  value: Json,
  path: DocumentPath,
  context: LoweringContext,
): GivenValue | undefined {
  if (typeof value === 'string') {
    if (!value.includes('${')) return { is: 'scalar', value };
    const whole = value.endsWith('[*]}') ? undefined : wholeParameter(value, context);
    if (whole !== undefined) return whole;
    const text = parameterText(value, path, context);
    return text === undefined ? undefined : { is: 'scalar', value: text };
  }
  if (isList(value)) return resolveList(value, path, context);
  if (!isObject(value)) return { is: 'scalar', value: value as number | boolean };
  const form = 'file' in value ? 'file' : 'directory' in value ? 'directory' : 'url';
  const text = parameterText(String(value[form]), { parent: path, key: form }, context);
  if (text === undefined) return undefined;
  return form === 'url' ? { is: 'url', url: text } : givenPath(form, text, context.folder);
}

function resolveList(
  list: readonly Json[],
  path: DocumentPath,
  context: LoweringContext,
): GivenValue | undefined {
  const items: GivenValue[] = [];
  let right = true;
  for (const [index, entry] of list.entries()) {
    const spread =
      typeof entry === 'string' && entry.endsWith('[*]}') ? wholeParameter(entry, context) : undefined;
    if (spread?.is === 'list') items.push(...spread.items);
    else {
      const item = resolveGiven(entry, { parent: path, key: index }, context);
      if (item === undefined) right = false;
      else items.push(item);
    }
  }
  return right ? { is: 'list', items } : undefined;
}

/** Wishes for every file and address in a value. */
export function wantFiles(value: GivenValue, context: LoweringContext): void {
  if (value.is === 'list') for (const item of value.items) wantFiles(item, context);
  else if (value.is === 'url') {
    if (isFetchable(value.url)) context.files.wantUrl(value.url);
  } else if (value.is !== 'scalar') context.files.wantPath(value.path);
}

/** The spec of a literal input; undefined when a problem was noted. */
export function givenSpec(
  value: GivenValue,
  path: DocumentPath,
  context: LoweringContext,
): InputSpec | undefined {
  switch (value.is) {
    case 'scalar':
      return { value: value.value };
    case 'list':
      return listSpec(value.items, path, context);
    case 'url':
      return urlSpec(value.url, path, context);
    default: {
      const digest = context.files.digest(value.path);
      if (digest?.kind === value.is)
        return { [value.is]: fileSpec(value.name, value.path, digest) } as unknown as InputSpec;
      return noteFile(value.written, digest ? `is no ${value.is}` : 'does not exist', path, context);
    }
  }
}

function listSpec(
  items: readonly GivenValue[],
  path: DocumentPath,
  context: LoweringContext,
): InputSpec | undefined {
  if (items.every((item) => item.is === 'scalar')) {
    const broken = items.findIndex((item) => typeof item.value === 'string' && item.value.includes('\n'));
    if (broken < 0) return { value: items.map((item) => item.value) };
    const { problems } = context;
    const inner = { parent: path, key: broken };
    problems.add(inner, 'value', (place) =>
      languageErrors.FIELD_VALUE.with({ place }, problems.where(inner), 'one line', 'text with line breaks'),
    );
    return undefined;
  }
  const list: InputSpec[] = [];
  for (const [index, item] of items.entries()) {
    const spec = givenSpec(item, { parent: path, key: index }, context);
    if (spec !== undefined) list.push(spec);
  }
  return list.length === items.length ? { list } : undefined;
}

function urlSpec(url: string, path: DocumentPath, context: LoweringContext): InputSpec | undefined {
  const { problems } = context;
  if (!isFetchable(url)) return noteFile(url, 'is no http(s) address', path, context);
  const fetched = context.files.fetched(url);
  if (fetched !== undefined && !('failure' in fetched))
    return { file: fileSpec(urlName(url), fetched.path, fetched) };
  if (fetched !== undefined) return noteFile(url, `cannot be fetched: ${fetched.failure}`, path, context);
  problems.add(path, 'value', (place) =>
    languageErrors.URL_UNSUPPORTED.with({ place }, problems.where(path), url.slice(0, 200)),
  );
  return undefined;
}

function noteFile(written: string, detail: string, path: DocumentPath, context: LoweringContext): undefined {
  const { problems } = context;
  const hint = `paths start at the folder of the document, ${context.folder}`;
  problems.add(path, 'value', (place) =>
    languageErrors.FILE_MISSING.with({ place, hint }, problems.where(path), written.slice(0, 300), detail),
  );
  return undefined;
}

export function fileSpec(name: string, path: string, digest: FileDigest | FetchedFile): FileSpec {
  const { sha256, sizeBytes, modifiedAtMs } = digest;
  return { name, sha256, path, sizeBytes, modifiedAtMs };
}
