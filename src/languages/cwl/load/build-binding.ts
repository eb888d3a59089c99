// Input bindings, output bindings, secondary file patterns and the other file traits of parameters and record fields.
import { cwlErrors } from '../error-codes.ts';
import type {
  CommandLineBinding,
  FileTraits,
  LoadListing,
  OutputBinding,
  SecondaryFilePattern,
} from '../model/cwl-type.ts';
import { type BuildContext, compact } from './build-context.ts';
import { asList, FieldReader } from './field-reader.ts';
import { atLeast } from './known-fields.ts';
import { placeOf, type SourceMap, type SourceNode } from './source-node.ts';
import { expandPrefix, resolveUrl } from './uri.ts';

export const loadListings: readonly LoadListing[] = ['no_listing', 'shallow_listing', 'deep_listing'];

export function commandLineBinding(
  node: SourceMap | undefined,
  context: BuildContext,
): CommandLineBinding | undefined {
  if (node === undefined) return undefined;
  const fields = new FieldReader(node, 'CommandLineBinding', context);
  fields.boolean('loadContents');
  return compact({
    position: atLeast(context.version, 'v1.1')
      ? fields.integerOrExpression('position')
      : fields.integer('position'),
    prefix: fields.string('prefix'),
    separate: fields.boolean('separate'),
    itemSeparator: fields.string('itemSeparator'),
    valueFrom: fields.string('valueFrom'),
    shellQuote: fields.boolean('shellQuote'),
  });
}

export function outputBinding(node: SourceMap | undefined, context: BuildContext): OutputBinding | undefined {
  if (node === undefined) return undefined;
  const fields = new FieldReader(node, 'OutputBinding', context);
  return compact({
    glob: fields.strings('glob'),
    loadContents: fields.boolean('loadContents'),
    loadListing: fields.oneOf('loadListing', loadListings),
    outputEval: fields.string('outputEval'),
  });
}

/** secondaryFiles, streamable, format, loadContents and loadListing; v1.0 kept loadContents in the input binding. */
export function fileTraits(
  fields: FieldReader,
  binding: SourceMap | undefined,
  context: BuildContext,
): FileTraits {
  const fromBinding = binding?.entries.get('loadContents')?.value;
  const loadsByBinding = fromBinding?.kind === 'scalar' && fromBinding.value === true;
  return compact({
    secondaryFiles: secondaryFiles(fields.get('secondaryFiles'), context),
    streamable: fields.boolean('streamable'),
    format: formats(fields),
    loadContents: fields.boolean('loadContents') ?? (loadsByBinding ? true : undefined),
    loadListing: fields.oneOf('loadListing', loadListings),
  }) as FileTraits;
}

function formats(fields: FieldReader): string[] | undefined {
  return fields.strings('format')?.map((format: string): string => {
    if (/\$[({]/.test(format)) return format;
    const expanded = expandPrefix(format, fields.node.source.namespaces);
    return expanded === format && !format.includes(':')
      ? resolveUrl(format, fields.node.source.baseUrl)
      : expanded;
  });
}

function secondaryFiles(
  node: SourceNode | undefined,
  context: BuildContext,
): SecondaryFilePattern[] | undefined {
  if (node === undefined) return undefined;
  return asList(node).flatMap((item) => {
    if (item.kind === 'scalar' && typeof item.value === 'string') return [shortPattern(item.value, context)];
    if (item.kind === 'map') {
      if (!atLeast(context.version, 'v1.1')) {
        const place = placeOf(item);
        const what = 'a secondary file written as a map';
        context.problems.add(cwlErrors.CWL_FIELD_TOO_NEW.with({ place }, what, 'v1.1', context.version));
        return [];
      }
      const fields = new FieldReader(item, 'SecondaryFileSchema', context);
      const pattern = fields.requiredString('pattern');
      return [compact({ pattern, required: fields.booleanOrExpression('required') }) as SecondaryFilePattern];
    }
    const place = placeOf(item);
    context.problems.add(cwlErrors.CWL_WRONG_VALUE.with({ place }, 'secondaryFiles', 'patterns'));
    return [];
  });
}

function shortPattern(text: string, context: BuildContext): SecondaryFilePattern {
  if (atLeast(context.version, 'v1.1') && text.endsWith('?'))
    return { pattern: text.slice(0, -1), required: false };
  return { pattern: text };
}
