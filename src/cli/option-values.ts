// How the text of an option becomes its value, per option type.
import { didYouMean } from '../core/closest.ts';
import type { VarveError } from '../core/errors.ts';
import { parseBytes, parseDuration } from '../core/units.ts';
import type { OptionSpec, OptionTypeName } from './command.ts';
import { cliErrors } from './error-codes.ts';

interface OptionType {
  /** Stands for the value in the help. */
  readonly placeholder: string;
  readonly expected: (spec: OptionSpec) => string;
  readonly read: (text: string, spec: OptionSpec) => unknown;
}

const optionTypes: Readonly<Record<Exclude<OptionTypeName, 'flag'>, OptionType>> = {
  text: { placeholder: 'TEXT', expected: () => 'a text', read: (text) => text },
  path: { placeholder: 'PATH', expected: () => 'a path', read: (text) => text || undefined },
  choice: {
    placeholder: 'WORD',
    expected: ({ choices = [] }) => `one of ${choices.join(', ')}`,
    read: (text, { choices = [] }) => (choices.includes(text) ? text : undefined),
  },
  integer: {
    placeholder: 'N',
    expected: ({ min }) => (min === undefined ? 'a whole number' : `a whole number, at least ${min}`),
    read: (text, { min }) => {
      const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(value) && value >= (min ?? -Infinity) ? value : undefined;
    },
  },
  bytes: { placeholder: 'SIZE', expected: () => 'a size such as 20GB', read: parseBytes },
  duration: { placeholder: 'TIME', expected: () => 'a duration such as 30s or 1h30m', read: parseDuration },
};

/** The value of an option that takes one, or the error to report. */
export function readOptionValue(
  spec: OptionSpec,
  option: string,
  text: string | undefined,
): { value: unknown } | { error: VarveError } {
  if (spec.type === 'flag') return { value: true };
  const type = optionTypes[spec.type];
  const value = text === undefined ? undefined : type.read(text, spec);
  if (value !== undefined) return { value };
  const found = text === undefined ? 'nothing' : JSON.stringify(text);
  const hint = spec.choices && text !== undefined ? didYouMean(text, spec.choices) : undefined;
  return { error: cliErrors.CLI_OPTION_VALUE.with({ hint }, option, type.expected(spec), found) };
}

/** `--color auto|always|never`, `--set KEY=VALUE`, `--json`. */
export function optionUsage(name: string, spec: OptionSpec): string {
  if (spec.type === 'flag') return `--${name}`;
  return `--${name} ${spec.choices?.join('|') ?? spec.placeholder ?? optionTypes[spec.type].placeholder}`;
}
