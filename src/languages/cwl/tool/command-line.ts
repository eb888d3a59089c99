// The command line of a tool: bindings are collected from arguments and inputs, each with a sorting key of positions, indexes and
// names, sorted, and turned into words.
import { isList, isObject, type Json } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { Evaluator, ExpressionContext } from '../expressions/evaluator.ts';
import { interpolated } from '../expressions/evaluator.ts';
import {
  type ArrayType,
  alternatives,
  type CommandLineBinding,
  type CwlType,
  type EnumType,
  type RecordType,
} from '../model/cwl-type.ts';
import type { CommandLineTool } from '../model/process.ts';
import { checkValue } from '../values/check-value.ts';
import { isPath } from '../values/file-object.ts';
import { shellQuote } from './shell-quote.ts';

type SortKey = readonly (number | string)[];

interface Bound {
  readonly key: SortKey;
  readonly binding: CommandLineBinding;
  readonly value: Json;
}

type ComplexType = ArrayType | EnumType | RecordType;

export interface CommandLineRules {
  readonly evaluator: Evaluator;
  readonly context: ExpressionContext;
  /** Set when the tool runs in a shell: words are quoted unless their binding says otherwise. */
  readonly shell: boolean;
}

/** The words of the command line, already quoted for the shell where there is one. */
export function commandLine(tool: CommandLineTool, rules: CommandLineRules): string[] {
  const builder = new CommandLineBuilder(rules);
  const bound = [
    ...tool.arguments.map((binding, index): Bound => {
      const key = [builder.position(binding, null), index];
      return { key, binding, value: null };
    }),
    ...tool.inputs.flatMap((input) => {
      const value = rules.context.inputs[input.name] ?? null;
      return value === null
        ? []
        : builder.bind(input.inputBinding, undefined, input.type, value, [], [input.name]);
    }),
  ];
  bound.sort((a, b) => compareKeys(a.key, b.key));
  const words = bound.flatMap((one) => {
    const made = builder.words(one);
    return rules.shell && one.binding.shellQuote !== false ? made.map(shellQuote) : made;
  });
  return [...(rules.shell ? tool.baseCommand.map(shellQuote) : tool.baseCommand), ...words];
}

class CommandLineBuilder {
  private readonly rules: CommandLineRules;

  constructor(rules: CommandLineRules) {
    this.rules = rules;
  }

  position(binding: CommandLineBinding, self: Json): number {
    const { position = 0 } = binding;
    if (typeof position === 'number') return position;
    const value = this.rules.evaluator.evaluate(position, { ...this.rules.context, self });
    if (value === null) return 0;
    const number = typeof value === 'string' ? Number(value) : value;
    if (!Number.isInteger(number))
      throw cwlErrors.CWL_EXPRESSION(position, 'position must be a whole number');
    return number as number;
  }

  /** The bindings of a parameter, field or item; `ownKey` replaces the key that its position would give. */
  bind(
    binding: CommandLineBinding | undefined,
    ownKey: SortKey | undefined,
    declared: CwlType,
    value: Json,
    lead: SortKey,
    tail: SortKey,
  ): Bound[] {
    const type = actualType(declared, value);
    const key =
      binding === undefined ? undefined : [...lead, ...(ownKey ?? [this.position(binding, value)]), ...tail];
    let inner: Bound[] = [];
    if (typeof type === 'object' && type.type !== 'union' && binding?.valueFrom === undefined) {
      const passesOn = type.type === 'array' && binding !== undefined && binding.itemSeparator === undefined;
      inner = this.bindInside(type, type.inputBinding ?? (passesOn ? {} : undefined), value, lead, tail);
    }
    return binding === undefined ? inner : [...under(key!, inner), { key: key!, binding, value }];
  }

  private bindInside(
    type: ComplexType,
    binding: CommandLineBinding | undefined,
    value: Json,
    lead: SortKey,
    tail: SortKey,
  ): Bound[] {
    const key = binding === undefined ? undefined : [...lead, this.position(binding, value), ...tail];
    if (type.type === 'array') {
      if (!isList(value)) return [];
      return value.flatMap((item, index) => this.bind(binding, key, type.items, item, [index], tail));
    }
    let inner: Bound[] = [];
    if (type.type === 'record' && isObject(value)) {
      inner = type.fields.flatMap((field) => {
        const member = value[field.name] ?? null;
        return member === null
          ? []
          : this.bind(field.inputBinding, undefined, field.type, member, lead, [field.name]);
      });
    }
    return binding === undefined ? inner : [...under(key!, inner), { key: key!, binding, value }];
  }

  words({ binding, value: datum }: Bound): string[] {
    const { prefix, separate = true, itemSeparator, valueFrom } = binding;
    const value =
      valueFrom === undefined
        ? datum
        : this.rules.evaluator.evaluate(valueFrom, { ...this.rules.context, self: datum });
    const lead = prefix === undefined ? [] : [prefix];
    if (value === null || value === false) return [];
    if (value === true) return lead;
    if (isList(value)) {
      if (value.length === 0) return [];
      if (itemSeparator === undefined)
        return valueFrom === undefined ? lead : [...lead, ...value.map(wordOf)];
      return joined(prefix, separate, value.map(wordOf).join(itemSeparator));
    }
    if (isObject(value) && !isPath(value)) return lead;
    return joined(prefix, separate, wordOf(value));
  }
}

function joined(prefix: string | undefined, separate: boolean, word: string): string[] {
  if (prefix === undefined) return [word];
  return separate ? [prefix, word] : [prefix + word];
}

/** A value as one word: files by their path, numbers as decimals. */
function wordOf(value: Json): string {
  if (isPath(value)) {
    if (value.path === undefined)
      throw cwlErrors.CWL_FILE_OBJECT(`${value.basename ?? 'a file'} has no path here`);
    return value.path;
  }
  return interpolated(value);
}

function under(key: SortKey, inner: readonly Bound[]): Bound[] {
  return inner.map((one) => ({ ...one, key: [...key, ...one.key] }));
}

/** The alternative that the value is of; Any stands for whatever the value is. */
function actualType(declared: CwlType, value: Json): CwlType {
  const choices = alternatives(declared);
  const type =
    choices.length === 1
      ? choices[0]!
      : (choices.find((one) => checkValue(value, one) === undefined) ?? 'Any');
  if (type !== 'Any' || !isList(value)) return type;
  return { type: 'array', items: 'Any' };
}

/** Numbers sort before texts, texts by their UTF-8 bytes, a shorter key before the longer one that it starts. */
function compareKeys(a: SortKey, b: SortKey): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [left, right] = [a[index]!, b[index]!];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    if (typeof left === 'number') return -1;
    if (typeof right === 'number') return 1;
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return a.length - b.length;
}
