// CommandLineTool, ExpressionTool and Operation to their normal form; the stdin, stdout and stderr shortcuts are written out.
import type { CommandLineBinding } from '../model/cwl-type.ts';
import type {
  CommandLineTool,
  ExpressionTool,
  InputParameter,
  Operation,
  OutputParameter,
  ProcessBase,
} from '../model/process.ts';
import { commandLineBinding } from './build-binding.ts';
import { type BuildContext, compact, located } from './build-context.ts';
import { type Built, buildInputs, buildOutputs } from './build-parameter.ts';
import { buildRequirements } from './build-requirement.ts';
import type { FieldReader } from './field-reader.ts';
import { child, type SourceNode } from './source-node.ts';
import { resolveUrl } from './uri.ts';

/** What all processes have, besides inputs and outputs. */
export function buildBase(
  fields: FieldReader,
  root: SourceNode,
  context: BuildContext,
): Omit<ProcessBase, 'inputs' | 'outputs'> {
  return compact({
    id: context.processId,
    cwlVersion: context.version,
    label: fields.string('label'),
    doc: fields.doc(),
    ...buildRequirements(fields, context),
    schemas: schemasOf(fields.node) ?? schemasOf(root),
  });
}

function schemasOf(node: SourceNode): string[] | undefined {
  const schemas = child(node, '$schemas');
  if (schemas?.kind !== 'list') return undefined;
  return schemas.items.flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'string'
      ? [resolveUrl(item.value, item.source.baseUrl)]
      : [],
  );
}

export function buildCommandLineTool(
  fields: FieldReader,
  root: SourceNode,
  context: BuildContext,
): CommandLineTool {
  requireParameters(fields);
  const inputs = buildInputs(fields, context);
  const outputs = buildOutputs(fields, context);
  const stdinInput = inputs.find(({ stream }) => stream === 'stdin')?.parameter.name;
  const stdout = fields.string('stdout') ?? streamName(outputs, 'stdout');
  const stderr = fields.string('stderr') ?? streamName(outputs, 'stderr');
  const stdin =
    stdinInput === undefined ? fields.string('stdin') : `$(inputs[${JSON.stringify(stdinInput)}].path)`;
  const tool = compact({
    class: 'CommandLineTool' as const,
    ...buildBase(fields, root, context),
    inputs: inputs.map(({ parameter }): InputParameter => parameter),
    outputs: outputs.map(({ parameter, stream }) => onStream(parameter, stream, stdout, stderr)),
    baseCommand: fields.strings('baseCommand') ?? [],
    arguments: fields.list('arguments').flatMap((item) => argument(item, fields, context)),
    stdin,
    stdout,
    stderr,
    successCodes: fields.integers('successCodes'),
    temporaryFailCodes: fields.integers('temporaryFailCodes'),
    permanentFailCodes: fields.integers('permanentFailCodes'),
  });
  return located(tool, fields.node, context);
}

function requireParameters(fields: FieldReader): void {
  if (fields.get('inputs') === undefined) fields.missing('inputs');
  if (fields.get('outputs') === undefined) fields.missing('outputs');
}

function streamName(outputs: readonly Built<OutputParameter>[], stream: string): string | undefined {
  const output = outputs.find((one) => one.stream === stream);
  return output === undefined ? undefined : `${output.parameter.name}.${stream}`;
}

function onStream(
  parameter: OutputParameter,
  stream: string | undefined,
  stdout: string | undefined,
  stderr: string | undefined,
): OutputParameter {
  const file = stream === 'stdout' ? stdout : stream === 'stderr' ? stderr : undefined;
  if (file === undefined) return parameter;
  return { ...parameter, outputBinding: { ...parameter.outputBinding, glob: [file] } };
}

function argument(item: SourceNode, fields: FieldReader, context: BuildContext): CommandLineBinding[] {
  if (item.kind === 'scalar' && typeof item.value === 'string') {
    fields.noteExpression(item.value, item);
    return [{ valueFrom: item.value }];
  }
  const binding = item.kind === 'map' ? commandLineBinding(item, context) : undefined;
  if (binding === undefined) {
    fields.wrong('arguments', 'a list of texts and bindings', item);
    return [];
  }
  return [binding];
}

export function buildExpressionTool(
  fields: FieldReader,
  root: SourceNode,
  context: BuildContext,
): ExpressionTool {
  requireParameters(fields);
  const tool = {
    class: 'ExpressionTool' as const,
    ...buildBase(fields, root, context),
    inputs: buildInputs(fields, context).map(({ parameter }) => parameter),
    outputs: buildOutputs(fields, context).map(({ parameter }) => parameter),
    expression: fields.requiredString('expression'),
  };
  return located(tool, fields.node, context);
}

export function buildOperation(fields: FieldReader, root: SourceNode, context: BuildContext): Operation {
  requireParameters(fields);
  const operation = {
    class: 'Operation' as const,
    ...buildBase(fields, root, context),
    inputs: buildInputs(fields, context).map(({ parameter }) => parameter),
    outputs: buildOutputs(fields, context).map(({ parameter }) => parameter),
  };
  return located(operation, fields.node, context);
}
