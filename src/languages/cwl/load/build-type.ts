// Types as documents write them (names, `File?`, `int[]`, schemas, lists of alternatives) to their normal form.
import { cwlErrors } from '../error-codes.ts';
import {
  type CwlType,
  type PrimitiveType,
  primitiveTypes,
  type RecordField,
  type RecordType,
  unionOf,
} from '../model/cwl-type.ts';
import { commandLineBinding, fileTraits, outputBinding } from './build-binding.ts';
import { type BuildContext, compact, located } from './build-context.ts';
import { FieldReader } from './field-reader.ts';
import { nameHint } from './problems.ts';
import { placeOf, type SourceMap, type SourceNode, stringAt } from './source-node.ts';
import { shortName } from './uri.ts';

export type Direction = 'input' | 'output';

/** The type that a node describes; problems are reported and give Any. */
export function buildType(node: SourceNode, direction: Direction, context: BuildContext): CwlType {
  if (node.kind === 'list') {
    if (node.items.length === 0) return wrongType(node, 'at least one type', context);
    return unionOf(node.items.map((item) => buildType(item, direction, context)));
  }
  if (node.kind === 'map') return buildSchema(node, direction, context);
  if (node.value === null) return 'null';
  if (typeof node.value !== 'string') return wrongType(node, 'a type', context);
  return namedType(node.value, node, direction, context);
}

function namedType(text: string, at: SourceNode, direction: Direction, context: BuildContext): CwlType {
  if (text.endsWith('?')) return unionOf(['null', namedType(text.slice(0, -1), at, direction, context)]);
  if (text.endsWith('[]'))
    return { type: 'array', items: namedType(text.slice(0, -2), at, direction, context) };
  const plain = text.replace(/^(cwl:|https:\/\/w3id\.org\/cwl\/(cwl|salad)#|xsd:)/, '');
  if ((primitiveTypes as readonly string[]).includes(plain)) return plain as PrimitiveType;
  if (['array', 'record', 'enum'].includes(text)) {
    const hint = `write it as a map: type: {type: ${text}, …}`;
    const place = placeOf(at);
    context.problems.add(cwlErrors.CWL_WRONG_VALUE.with({ place, hint }, 'type', `a complete ${text} type`));
    return 'Any';
  }
  const near = nameHint(text, primitiveTypes);
  if (near?.startsWith('did you mean') && !text.includes('#')) {
    const known = primitiveTypes.find((name) => name.toLowerCase() === text.toLowerCase());
    if (known !== undefined) {
      context.problems.add(cwlErrors.CWL_UNKNOWN_TYPE.with({ place: placeOf(at), hint: near }, text));
      return known;
    }
  }
  return context.types.resolve(text, at, (node) => buildSchema(node, direction, context));
}

function buildSchema(node: SourceMap, direction: Direction, context: BuildContext): CwlType {
  const kind = stringAt(node, 'type')?.replace(/^cwl:|^https:\/\/w3id\.org\/cwl\/salad#/, '');
  if (kind === 'array') return buildArray(node, direction, context);
  if (kind === 'enum') return buildEnum(node, direction, context);
  if (kind === 'record') return buildRecord(node, direction, context);
  const inner = node.entries.get('type')?.value;
  if (inner === undefined) return wrongType(node, 'a type: the map needs the field "type"', context);
  return buildType(inner, direction, context);
}

function buildArray(node: SourceMap, direction: Direction, context: BuildContext): CwlType {
  const fields = new FieldReader(node, 'array', context);
  const items = fields.get('items');
  if (items === undefined) fields.missing('items');
  return compact({
    type: 'array' as const,
    items: items === undefined ? ('Any' as const) : buildType(items, direction, context),
    inputBinding: commandLineBinding(fields.map('inputBinding'), context),
  });
}

function buildEnum(node: SourceMap, _direction: Direction, context: BuildContext): CwlType {
  const fields = new FieldReader(node, 'enum', context);
  if (fields.get('symbols') === undefined) fields.missing('symbols');
  const symbols = (fields.strings('symbols') ?? []).map((symbol) =>
    symbol.includes('#') ? shortName(symbol) : symbol,
  );
  const name = fields.string('name');
  return compact({
    type: 'enum' as const,
    name: name === undefined ? undefined : shortName(name),
    symbols,
    inputBinding: commandLineBinding(fields.map('inputBinding'), context),
  });
}

function buildRecord(node: SourceMap, direction: Direction, context: BuildContext): CwlType {
  const fields = new FieldReader(node, 'record', context);
  const name = fields.string('name');
  const members = fields
    .identified('fields', 'name', 'type')
    .map((member) => buildField(member, direction, context));
  const seen = new Set<string>();
  for (const member of members) {
    if (seen.has(member.name)) {
      const place = placeOf(context.places.get(member) ?? node);
      context.problems.add(cwlErrors.CWL_DUPLICATE.with({ place }, 'field', member.name));
    }
    seen.add(member.name);
  }
  const record: RecordType = compact({
    type: 'record' as const,
    name: name === undefined ? undefined : shortName(name),
    fields: members,
    inputBinding: commandLineBinding(fields.map('inputBinding'), context),
  });
  return record;
}

function buildField(node: SourceMap, direction: Direction, context: BuildContext): RecordField {
  const kind = direction === 'input' ? 'InputRecordField' : 'OutputRecordField';
  const fields = new FieldReader(node, kind, context);
  const type = fields.get('type');
  if (type === undefined) fields.missing('type');
  const binding = direction === 'input' ? fields.map('inputBinding') : undefined;
  return located(
    compact({
      name: shortName(fields.requiredString('name')),
      type: type === undefined ? ('Any' as const) : buildType(type, direction, context),
      label: fields.string('label'),
      doc: fields.doc(),
      ...fileTraits(fields, binding, context),
      inputBinding: commandLineBinding(binding, context),
      outputBinding: direction === 'output' ? outputBinding(fields.map('outputBinding'), context) : undefined,
    }),
    node,
    context,
  );
}

function wrongType(node: SourceNode, wanted: string, context: BuildContext): CwlType {
  context.problems.add(cwlErrors.CWL_WRONG_VALUE.with({ place: placeOf(node) }, 'type', wanted));
  return 'Any';
}
