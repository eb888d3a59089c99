// Which fields each kind of CWL object has, and since which version. The table decides what is unknown, what is too new, and what a
// misspelt field is likely to mean; the forms of the values are checked where they are read.
import type { CwlVersion } from '../model/process.ts';

type Fields = Readonly<Record<string, CwlVersion>>;

const since = (version: CwlVersion, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, version]));

const described = since('v1.0', 'label', 'doc');
const fileTraits = { ...since('v1.0', 'secondaryFiles', 'streamable', 'format') };
const loads = since('v1.1', 'loadContents', 'loadListing');
const process = {
  ...described,
  ...since('v1.0', 'id', 'class', 'inputs', 'outputs', 'requirements', 'hints', 'cwlVersion'),
  ...since('v1.2', 'intent'),
  ...since('v1.0', '$namespaces', '$schemas', '$base', '$graph'),
};
/** The programs that pack documents write an `id` into types that came from files. */
const schema = { ...described, ...since('v1.0', 'type', 'name', 'id') };
const field = {
  ...described,
  ...since('v1.0', 'name', 'type'),
  ...since('v1.1', ...Object.keys(fileTraits)),
};
const sink = { ...since('v1.0', 'source', 'linkMerge'), ...since('v1.2', 'pickValue') };

export const knownFields = {
  CommandLineTool: {
    ...process,
    ...since('v1.0', 'baseCommand', 'arguments', 'stdin', 'stdout', 'stderr'),
    ...since('v1.0', 'successCodes', 'temporaryFailCodes', 'permanentFailCodes'),
  },
  ExpressionTool: { ...process, ...since('v1.0', 'expression') },
  Workflow: { ...process, ...since('v1.0', 'steps') },
  Operation: process,
  InputParameter: {
    ...described,
    ...fileTraits,
    ...loads,
    ...since('v1.0', 'id', 'type', 'default', 'inputBinding'),
  },
  OutputParameter: { ...described, ...fileTraits, ...since('v1.0', 'id', 'type', 'outputBinding') },
  WorkflowOutput: {
    ...described,
    ...fileTraits,
    ...since('v1.0', 'id', 'type', 'outputSource', 'outputBinding', 'linkMerge'),
    ...since('v1.2', 'pickValue'),
  },
  InputRecordField: { ...field, ...loads, ...since('v1.0', 'inputBinding') },
  OutputRecordField: { ...field, ...since('v1.0', 'outputBinding') },
  record: { ...schema, ...since('v1.0', 'fields', 'inputBinding', 'outputBinding') },
  enum: { ...schema, ...since('v1.0', 'symbols', 'inputBinding', 'outputBinding') },
  array: { ...schema, ...since('v1.0', 'items', 'inputBinding', 'outputBinding') },
  SecondaryFileSchema: since('v1.1', 'pattern', 'required'),
  InputBinding: since('v1.0', 'loadContents'),
  CommandLineBinding: since(
    'v1.0',
    'loadContents',
    'position',
    'prefix',
    'separate',
    'itemSeparator',
    'valueFrom',
    'shellQuote',
  ),
  OutputBinding: {
    ...since('v1.0', 'glob', 'loadContents', 'outputEval'),
    ...since('v1.1', 'loadListing'),
  },
  WorkflowStep: {
    ...described,
    ...since('v1.0', 'id', 'in', 'out', 'run', 'scatter', 'scatterMethod', 'requirements', 'hints'),
    ...since('v1.2', 'when'),
  },
  WorkflowStepInput: {
    ...sink,
    ...since('v1.0', 'id', 'default', 'valueFrom'),
    ...since('v1.1', 'loadContents', 'loadListing', 'label'),
  },
  WorkflowStepOutput: since('v1.0', 'id'),
  InlineJavascriptRequirement: since('v1.0', 'class', 'expressionLib'),
  SchemaDefRequirement: since('v1.0', 'class', 'types'),
  DockerRequirement: since(
    'v1.0',
    'class',
    'dockerPull',
    'dockerLoad',
    'dockerFile',
    'dockerImport',
    'dockerImageId',
    'dockerOutputDirectory',
  ),
  SoftwareRequirement: since('v1.0', 'class', 'packages'),
  SoftwarePackage: since('v1.0', 'package', 'version', 'specs'),
  InitialWorkDirRequirement: since('v1.0', 'class', 'listing'),
  Dirent: since('v1.0', 'entryname', 'entry', 'writable'),
  EnvVarRequirement: since('v1.0', 'class', 'envDef'),
  EnvironmentDef: since('v1.0', 'envName', 'envValue'),
  ShellCommandRequirement: since('v1.0', 'class'),
  ResourceRequirement: since(
    'v1.0',
    'class',
    'coresMin',
    'coresMax',
    'ramMin',
    'ramMax',
    'tmpdirMin',
    'tmpdirMax',
    'outdirMin',
    'outdirMax',
  ),
  LoadListingRequirement: since('v1.0', 'class', 'loadListing'),
  WorkReuse: since('v1.0', 'class', 'enableReuse'),
  NetworkAccess: since('v1.0', 'class', 'networkAccess'),
  InplaceUpdateRequirement: since('v1.0', 'class', 'inplaceUpdate'),
  ToolTimeLimit: since('v1.0', 'class', 'timelimit'),
  SubworkflowFeatureRequirement: since('v1.0', 'class'),
  ScatterFeatureRequirement: since('v1.0', 'class'),
  MultipleInputFeatureRequirement: since('v1.0', 'class'),
  StepInputExpressionRequirement: since('v1.0', 'class'),
} as const satisfies Record<string, Fields>;

export type ObjectKind = keyof typeof knownFields;

export const processClasses = ['CommandLineTool', 'ExpressionTool', 'Workflow', 'Operation'] as const;

/** Requirements that the language itself has, with the version that brought them. */
export const requirementClasses: Readonly<Record<string, CwlVersion>> = {
  ...since(
    'v1.0',
    'InlineJavascriptRequirement',
    'SchemaDefRequirement',
    'DockerRequirement',
    'SoftwareRequirement',
    'InitialWorkDirRequirement',
    'EnvVarRequirement',
    'ShellCommandRequirement',
    'ResourceRequirement',
    'SubworkflowFeatureRequirement',
    'ScatterFeatureRequirement',
    'MultipleInputFeatureRequirement',
    'StepInputExpressionRequirement',
  ),
  ...since(
    'v1.1',
    'LoadListingRequirement',
    'WorkReuse',
    'NetworkAccess',
    'InplaceUpdateRequirement',
    'ToolTimeLimit',
  ),
};

/** Extensions that v1.0 documents use for what later became part of the language. */
export const extensionAliases: Readonly<Record<string, string>> = {
  'http://commonwl.org/cwltool#LoadListingRequirement': 'LoadListingRequirement',
  'http://commonwl.org/cwltool#WorkReuse': 'WorkReuse',
  'http://commonwl.org/cwltool#NetworkAccess': 'NetworkAccess',
  'http://commonwl.org/cwltool#InplaceUpdateRequirement': 'InplaceUpdateRequirement',
  'http://commonwl.org/cwltool#TimeLimit': 'ToolTimeLimit',
};

/** True when `version` is at least `needed`. */
export function atLeast(version: CwlVersion, needed: CwlVersion): boolean {
  return version >= needed;
}
