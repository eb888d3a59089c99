// Requirements and hints: known classes are checked and brought to normal form, unknown requirements are unsupported, unknown hints
// are a warning.
import { cwlErrors } from '../error-codes.ts';
import {
  type InitialEntry,
  type Requirement,
  type RequirementClass,
  type ResourceRequirement,
  resourceFields,
} from '../model/requirement.ts';
import { loadListings } from './build-binding.ts';
import { type BuildContext, compact } from './build-context.ts';
import { asList, FieldReader, isExpression } from './field-reader.ts';
import { fileValue } from './file-value.ts';
import { atLeast, extensionAliases, type ObjectKind, requirementClasses } from './known-fields.ts';
import { didYouMean } from './problems.ts';
import { isNull, placeOf, type SourceMap, type SourceNode, stringAt } from './source-node.ts';
import { expandPrefix } from './uri.ts';

export interface Declared {
  readonly requirements: Requirement[];
  readonly hints: Requirement[];
}

/** The requirements and hints of a process or step. */
export function buildRequirements(owner: FieldReader, context: BuildContext): Declared {
  const read = (field: 'requirements' | 'hints') =>
    owner.identified(field, 'class').flatMap((node) => {
      const requirement = buildRequirement(node, field === 'hints', context);
      return requirement === undefined ? [] : [requirement];
    });
  return { requirements: read('requirements'), hints: read('hints') };
}

/** One requirement; undefined when it is unknown, which is reported. */
export function buildRequirement(
  node: SourceMap,
  isHint: boolean,
  context: BuildContext,
): Requirement | undefined {
  const written = stringAt(node, 'class');
  if (written === undefined) {
    if (!isHint)
      context.problems.add(
        cwlErrors.CWL_MISSING_FIELD.with({ place: placeOf(node) }, 'class', 'a requirement'),
      );
    return undefined;
  }
  const expanded = expandPrefix(written, node.source.namespaces);
  const plain = expanded.replace(/^(cwl:|https:\/\/w3id\.org\/cwl\/cwl#)/, '');
  const alias = extensionAliases[expanded];
  const name = alias ?? plain;
  const since = requirementClasses[name];
  if (since === undefined || (alias === undefined && !atLeast(context.version, since))) {
    reportUnknown(node, written, since, isHint, context);
    return undefined;
  }
  return builders[name as RequirementClass](new FieldReader(node, name as ObjectKind, context), context);
}

function reportUnknown(
  node: SourceMap,
  name: string,
  since: string | undefined,
  isHint: boolean,
  context: BuildContext,
): void {
  const near = didYouMean(name, Object.keys(requirementClasses));
  const hint =
    since === undefined
      ? near === undefined
        ? undefined
        : `did you mean "${near}"?`
      : `it needs cwlVersion ${since}; this document is ${context.version}`;
  const place = placeOf(node);
  if (isHint) context.problems.warn(cwlErrors.CWL_UNKNOWN_HINT.with({ place, hint }, name));
  else context.problems.add(cwlErrors.CWL_UNKNOWN_REQUIREMENT.with({ place, hint }, name));
}

type Builder = (fields: FieldReader, context: BuildContext) => Requirement;

const builders: Readonly<Record<RequirementClass, Builder>> = {
  InlineJavascriptRequirement: (fields) => ({
    class: 'InlineJavascriptRequirement',
    expressionLib: fields.strings('expressionLib') ?? [],
  }),
  SchemaDefRequirement: () => ({ class: 'SchemaDefRequirement' }),
  DockerRequirement: (fields) =>
    compact({
      class: 'DockerRequirement' as const,
      dockerPull: fields.string('dockerPull'),
      dockerLoad: fields.string('dockerLoad'),
      dockerFile: fields.string('dockerFile'),
      dockerImport: fields.string('dockerImport'),
      dockerImageId: fields.string('dockerImageId'),
      dockerOutputDirectory: fields.string('dockerOutputDirectory'),
    }),
  SoftwareRequirement: (fields, context) => ({
    class: 'SoftwareRequirement',
    packages: fields.identified('packages', 'package', 'specs').map((node) => {
      const one = new FieldReader(node, 'SoftwarePackage', context);
      return compact({
        package: one.requiredString('package'),
        version: one.strings('version'),
        specs: one.strings('specs'),
      });
    }),
  }),
  InitialWorkDirRequirement: (fields, context) => ({
    class: 'InitialWorkDirRequirement',
    listing: initialEntries(fields, context),
  }),
  EnvVarRequirement: (fields, context) => {
    if (fields.get('envDef') === undefined) fields.missing('envDef');
    return {
      class: 'EnvVarRequirement',
      envDef: fields.identified('envDef', 'envName', 'envValue').map((node) => {
        const one = new FieldReader(node, 'EnvironmentDef', context);
        return { envName: one.requiredString('envName'), envValue: one.requiredString('envValue') };
      }),
    };
  },
  ShellCommandRequirement: () => ({ class: 'ShellCommandRequirement' }),
  ResourceRequirement: (fields, context) => resources(fields, context),
  LoadListingRequirement: (fields) => ({
    class: 'LoadListingRequirement',
    loadListing: fields.oneOf('loadListing', loadListings) ?? 'no_listing',
  }),
  WorkReuse: (fields) => ({
    class: 'WorkReuse',
    enableReuse: fields.booleanOrExpression('enableReuse') ?? true,
  }),
  NetworkAccess: (fields) => ({
    class: 'NetworkAccess',
    networkAccess: fields.booleanOrExpression('networkAccess') ?? false,
  }),
  InplaceUpdateRequirement: (fields) => ({
    class: 'InplaceUpdateRequirement',
    inplaceUpdate: fields.boolean('inplaceUpdate') ?? false,
  }),
  ToolTimeLimit: (fields) => {
    if (fields.get('timelimit') === undefined) fields.missing('timelimit');
    const timelimit = fields.integerOrExpression('timelimit') ?? 0;
    if (typeof timelimit === 'number' && timelimit < 0) fields.wrong('timelimit', 'zero or more seconds');
    return { class: 'ToolTimeLimit', timelimit };
  },
  SubworkflowFeatureRequirement: () => ({ class: 'SubworkflowFeatureRequirement' }),
  ScatterFeatureRequirement: () => ({ class: 'ScatterFeatureRequirement' }),
  MultipleInputFeatureRequirement: () => ({ class: 'MultipleInputFeatureRequirement' }),
  StepInputExpressionRequirement: () => ({ class: 'StepInputExpressionRequirement' }),
};

function resources(fields: FieldReader, context: BuildContext): ResourceRequirement {
  const fractions = atLeast(context.version, 'v1.2');
  const values: Record<string, number | string | undefined> = { class: 'ResourceRequirement' };
  for (const name of resourceFields) {
    values[name] = fractions ? fields.numberOrExpression(name) : fields.integerOrExpression(name);
  }
  return compact(values) as unknown as ResourceRequirement;
}

function initialEntries(fields: FieldReader, context: BuildContext): InitialEntry[] {
  const listing = fields.get('listing');
  if (listing === undefined) {
    fields.missing('listing');
    return [];
  }
  return asList(listing).flatMap((item) => initialEntry(item, fields, context));
}

function initialEntry(item: SourceNode, fields: FieldReader, context: BuildContext): InitialEntry[] {
  if (isNull(item)) return [];
  if (item.kind === 'scalar') {
    if (isExpression(item.value)) {
      fields.noteExpression(item.value, item);
      return [{ expression: item.value }];
    }
    fields.wrong('listing', 'a list of entries, files or expressions', item);
    return [];
  }
  if (item.kind === 'list') return [{ literal: fileValue(item) }];
  if (item.entries.has('class')) return [{ literal: fileValue(item) }];
  const entry = new FieldReader(item, 'Dirent', context);
  return [
    compact({
      entry: entry.requiredString('entry'),
      entryname: entry.string('entryname'),
      writable: entry.boolean('writable') ?? false,
    }) as InitialEntry,
  ];
}
