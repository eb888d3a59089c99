// What of a tool decides the bytes it makes: everything but names, descriptions, resources and the like. Resources count only for a
// tool whose expressions look at them.
import { canonical, isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { CwlType } from '../model/cwl-type.ts';
import type { CommandLineTool, ExpressionTool, InputParameter, OutputParameter } from '../model/process.ts';
import { findRequirement, type RequirementClass, type Requirements } from '../model/requirement.ts';
import { contentIdentity } from './content-identity.ts';

export type Tool = CommandLineTool | ExpressionTool;

/** Requirements that change what a tool makes. */
const decisive: readonly RequirementClass[] = [
  'InlineJavascriptRequirement',
  'EnvVarRequirement',
  'InitialWorkDirRequirement',
  'ShellCommandRequirement',
  'LoadListingRequirement',
  'InplaceUpdateRequirement',
  'SoftwareRequirement',
];

/**
 * The identity of a tool under the requirements in force; `container` when it will run in one. Its keys are in order, because it is signed
 * for every node and attempt that runs the tool.
 */
export function toolIdentity(tool: Tool, requirements: Requirements, container?: JsonObject): JsonObject {
  const identity: Record<string, Json> = {
    class: tool.class,
    cwlVersion: tool.cwlVersion,
    inputs: tool.inputs.map(inputIdentity),
    outputs: tool.outputs.map(outputIdentity),
    requirements: decisive.flatMap((name) => {
      const found = findRequirement(requirements, name);
      return found === undefined ? [] : [contentIdentity(found as unknown as Json)];
    }),
  };
  if (tool.class === 'ExpressionTool') identity.expression = tool.expression;
  else {
    for (const name of ['stdin', 'stdout', 'stderr'] as const)
      if (tool[name] !== undefined) identity[name] = tool[name];
    identity.baseCommand = tool.baseCommand;
    identity.arguments = tool.arguments as unknown as Json;
    identity.codes = [tool.successCodes, tool.temporaryFailCodes, tool.permanentFailCodes];
  }
  if (container !== undefined) identity.container = container;
  if (looksAtResources(identity)) {
    const resources = findRequirement(requirements, 'ResourceRequirement');
    if (resources !== undefined) identity.resources = resources as unknown as Json;
  }
  return JSON.parse(canonical(identity)) as JsonObject;
}

function inputIdentity(input: InputParameter): Json {
  const { label: _label, doc: _doc, default: _default, format: _format, streamable: _s, ...rest } = input;
  return { ...rest, type: typeIdentity(input.type) } as unknown as Json;
}

function outputIdentity(output: OutputParameter): Json {
  const { label: _label, doc: _doc, streamable: _s, ...rest } = output;
  return { ...rest, type: typeIdentity(output.type) } as unknown as Json;
}

/** A type without the names of its records and enums, and without descriptions. */
function typeIdentity(type: CwlType): Json {
  if (typeof type === 'string') return type;
  if (type.type === 'union') return { ...type, of: type.of.map(typeIdentity) };
  if (type.type === 'array') return { ...type, items: typeIdentity(type.items) } as unknown as Json;
  const { name: _name, ...rest } = type;
  if (rest.type === 'enum') return rest as unknown as Json;
  const fields = rest.fields.map(({ label: _label, doc: _doc, ...field }) => ({
    ...field,
    type: typeIdentity(field.type),
  }));
  return { ...rest, fields } as unknown as Json;
}

/** True when an expression may read more of `runtime` than its folders and the exit code. */
function looksAtResources(value: Json): boolean {
  if (typeof value === 'string') return /\bruntime\b(?!\.(?:outdir|tmpdir|exitCode)\b)/.test(value);
  if (isList(value)) return value.some(looksAtResources);
  return isObject(value) && Object.values(value).some(looksAtResources);
}
