// An input object to fill in: every input with an example of its type, described by comments.
import type { Json } from '../../../core/json.ts';
import { acceptsNull, alternatives, type CwlType, describeType } from '../model/cwl-type.ts';
import type { Process } from '../model/process.ts';

/** YAML with one entry for each input; optional ones and those with a default are marked. */
export function makeTemplate(process: Pick<Process, 'inputs'>): string {
  if (process.inputs.length === 0) return '{}\n';
  return process.inputs
    .map((input) => {
      const value = input.default ?? exampleOf(input.type);
      const notes = [
        describeType(input.type),
        ...(input.default === undefined ? [] : ['has a default']),
        ...(acceptsNull(input.type) ? ['optional'] : []),
      ].join(', ');
      const description = [input.label, input.doc].filter((text) => text !== undefined).join('\n');
      const comment =
        description === ''
          ? ''
          : `${description
              .trim()
              .split('\n')
              .map((line) => `# ${line}`)
              .join('\n')}\n`;
      return `${comment}${JSON.stringify(input.name)}: ${JSON.stringify(value)}  # ${notes}\n`;
    })
    .join('');
}

function exampleOf(type: CwlType): Json {
  const choice = alternatives(type).find((one) => one !== 'null') ?? 'null';
  if (typeof choice === 'object') {
    if (choice.type === 'array') return [exampleOf(choice.items)];
    if (choice.type === 'enum') return choice.symbols[0] ?? '';
    if (choice.type === 'record')
      return Object.fromEntries(choice.fields.map((field) => [field.name, exampleOf(field.type)]));
    return null;
  }
  const examples: Readonly<Record<string, Json>> = {
    null: null,
    boolean: false,
    int: 0,
    long: 0,
    float: 0.1,
    double: 0.1,
    string: 'a_string',
    File: { class: 'File', path: 'a/file/path' },
    Directory: { class: 'Directory', path: 'a/directory/path' },
    Any: 'anything',
  };
  return examples[choice]!;
}
