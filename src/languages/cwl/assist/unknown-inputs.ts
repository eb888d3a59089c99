// Warnings about an input object: fields that the process does not declare have no effect.
import type { SourcePlace, VarveError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { nameHint } from '../load/problems.ts';
import type { Process } from '../model/process.ts';

export function unknownInputs(
  process: Pick<Process, 'inputs'>,
  job: JsonObject,
  placeOfInput?: (name: string) => SourcePlace | undefined,
): VarveError[] {
  const names = process.inputs.map(({ name }) => name);
  return Object.keys(job)
    .filter((name) => !names.includes(name) && !name.includes(':') && name !== 'id')
    .map((name) =>
      cwlErrors.CWL_INPUT_UNKNOWN.with({ place: placeOfInput?.(name), hint: nameHint(name, names) }, name),
    );
}
