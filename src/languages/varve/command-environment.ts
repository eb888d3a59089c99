// The environment of a command: nothing of the caller's, only what is listed here and what the document declares. A change
// of the fixed part changes what equal definitions do, so it needs a new signature scheme.
import type { AttemptSpace } from '../../core/ports/storage.ts';
import type { Resources } from '../../core/workflow.ts';
import type { InputValue } from './command-inputs.ts';
import type { CommandSpec } from './command-spec.ts';
import { languageErrors } from './error-codes.ts';
import { variablePart } from './input-spec.ts';
import { additionalPrefix, configurationPrefix } from './lower-keyed.ts';
import { type ReferenceValues, templateText } from './template.ts';

/** The search path of commands, unless `env` declares another. */
export const commandPath = '/usr/local/bin:/usr/bin:/bin';

/** One string of the environment or of the arguments cannot be longer on Linux, its end included. */
const longestString = 128 * 1024 - 1;

/** Every variable of a command; `outputs` are the absolute paths of named outputs that are single files. */
export function commandEnvironment(
  spec: CommandSpec,
  space: AttemptSpace,
  resources: Resources,
  inputs: ReadonlyMap<string, InputValue>,
  outputs: ReadonlyMap<string, string>,
  references: ReferenceValues,
): Record<string, string> {
  const env: Record<string, string> = {
    PATH: commandPath,
    HOME: space.work,
    TMPDIR: space.work,
    LANG: 'C.UTF-8',
    VARVE_OUTPUT: space.out,
    VARVE_CORES: String(resources.cores),
  };
  if (resources.memoryBytes !== undefined) env.VARVE_MEMORY = String(resources.memoryBytes);
  for (const [name, value] of inputs) addVariable(env, 'VARVE_INPUT_', name, value.text);
  for (const [name, path] of outputs) addVariable(env, 'VARVE_OUTPUT_', name, path);
  for (const [key, value] of spec.additionalInput ?? []) env[additionalPrefix + variablePart(key)] = value;
  for (const [key, value] of spec.configuration ?? []) env[configurationPrefix + variablePart(key)] = value;
  for (const [name, template] of Object.entries(spec.env ?? {}))
    env[name] = templateText(template, references);
  for (const [name, value] of Object.entries(env)) checkLength(name, value);
  return env;
}

/** Under its capital form and, where a shell can name it, as it is written in the document. */
function addVariable(env: Record<string, string>, prefix: string, name: string, value: string): void {
  env[prefix + variablePart(name)] = value;
  if (/^[A-Za-z0-9_]+$/.test(name)) env[prefix + name] = value;
}

function checkLength(name: string, value: string): void {
  const length =
    name.length + 1 + (value.length * 3 < longestString ? value.length : Buffer.byteLength(value));
  if (length > longestString)
    throw languageErrors.INPUT_VALUE(
      name,
      `${length} bytes are too long for an environment variable; pass a file instead`,
    );
}
