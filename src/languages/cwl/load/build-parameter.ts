// Input and output parameters of every kind of process.
import { cwlErrors } from '../error-codes.ts';
import type { CwlType } from '../model/cwl-type.ts';
import type { InputParameter, OutputParameter } from '../model/process.ts';
import { commandLineBinding, fileTraits, outputBinding } from './build-binding.ts';
import { type BuildContext, compact, located } from './build-context.ts';
import { buildType, type Direction } from './build-type.ts';
import { FieldReader } from './field-reader.ts';
import { fileValue } from './file-value.ts';
import { atLeast } from './known-fields.ts';
import { placeOf, type SourceNode } from './source-node.ts';
import { shortName } from './uri.ts';

export type Stream = 'stdin' | 'stdout' | 'stderr';

/** A parameter, and the stream that its type was a shortcut for. */
export interface Built<P> {
  readonly parameter: P;
  readonly stream?: Stream | undefined;
}

export function buildInputs(process: FieldReader, context: BuildContext): Built<InputParameter>[] {
  const built = process.identified('inputs', 'id', 'type').map((node): Built<InputParameter> => {
    const fields = new FieldReader(node, 'InputParameter', context);
    const binding = fields.map('inputBinding');
    const { type, stream } = parameterType(fields, 'input', context);
    const given = node.entries.get('default');
    const parameter = compact({
      name: parameterName(fields),
      type,
      label: fields.string('label'),
      doc: fields.doc(),
      ...fileTraits(fields, binding, context),
      default: given === undefined ? undefined : fileValue(given.value),
      inputBinding: commandLineBinding(binding, context),
    });
    return { parameter: located(parameter, node, context), stream };
  });
  reportDuplicates(built, 'input', context);
  return built;
}

export function buildOutputs(process: FieldReader, context: BuildContext): Built<OutputParameter>[] {
  const built = process.identified('outputs', 'id', 'type').map((node): Built<OutputParameter> => {
    const fields = new FieldReader(node, 'OutputParameter', context);
    const { type, stream } = parameterType(fields, 'output', context);
    const parameter = compact({
      name: parameterName(fields),
      type,
      label: fields.string('label'),
      doc: fields.doc(),
      ...fileTraits(fields, undefined, context),
      outputBinding: outputBinding(fields.map('outputBinding'), context),
    });
    return { parameter: located(parameter, node, context), stream };
  });
  reportDuplicates(built, 'output', context);
  return built;
}

export function parameterName(fields: FieldReader): string {
  return shortName(fields.requiredString('id'));
}

/** The declared type; `stdin`, `stdout` and `stderr` stand for a File on that stream. */
export function parameterType(
  fields: FieldReader,
  direction: Direction,
  context: BuildContext,
): { type: CwlType; stream?: Stream } {
  const node = fields.get('type');
  if (node === undefined) {
    if (fields.node.entries.has('type')) return { type: 'null' };
    if (atLeast(context.version, 'v1.1')) fields.missing('type');
    return { type: 'Any' };
  }
  const stream = streamOf(node, direction, context);
  return stream === undefined ? { type: buildType(node, direction, context) } : { type: 'File', stream };
}

function streamOf(node: SourceNode, direction: Direction, context: BuildContext): Stream | undefined {
  if (node.kind !== 'scalar') return undefined;
  if (direction === 'output' && (node.value === 'stdout' || node.value === 'stderr')) return node.value;
  if (direction === 'input' && node.value === 'stdin' && atLeast(context.version, 'v1.1')) return 'stdin';
  return undefined;
}

function reportDuplicates<P extends InputParameter | OutputParameter>(
  built: readonly Built<P>[],
  what: string,
  context: BuildContext,
): void {
  const seen = new Set<string>();
  for (const { parameter } of built) {
    if (seen.has(parameter.name)) {
      const node = context.places.get(parameter);
      const place = node === undefined ? undefined : placeOf(node);
      context.problems.add(cwlErrors.CWL_DUPLICATE.with({ place }, what, parameter.name));
    }
    seen.add(parameter.name);
  }
}
