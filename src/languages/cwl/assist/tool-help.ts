// The help text of a process, from its own documentation.
import { acceptsNull, describeType } from '../model/cwl-type.ts';
import type { InputParameter, OutputParameter, Process } from '../model/process.ts';

const width = 100;

/** Usage, inputs as flags, and outputs. */
export function toolHelp(process: Process, program: string): string {
  const about = [process.label, process.doc].filter((text) => text !== undefined && text !== '').join('\n\n');
  const inputs = process.inputs.map(inputLine);
  const outputs = process.outputs.map(outputLine);
  return [
    `usage: ${program} [--help] ${process.inputs.map(usageOf).join(' ')}`.trimEnd(),
    ...(about === '' ? [] : [about.trim()]),
    ...(inputs.length === 0 ? [] : [`inputs:\n${inputs.join('\n')}`]),
    ...(outputs.length === 0 ? [] : [`outputs:\n${outputs.join('\n')}`]),
  ].join('\n\n');
}

function usageOf(input: InputParameter): string {
  const flag = `--${input.name} ${input.name.toUpperCase()}`;
  return isOptional(input) ? `[${flag}]` : flag;
}

function isOptional(input: InputParameter): boolean {
  return input.default !== undefined || acceptsNull(input.type);
}

function inputLine(input: InputParameter): string {
  const notes = [describeType(input.type)];
  if (input.default !== undefined) notes.push(`default: ${JSON.stringify(input.default)}`);
  else if (isOptional(input)) notes.push('optional');
  return described(`--${input.name}`, notes.join(', '), input);
}

function outputLine(output: OutputParameter): string {
  return described(output.name, describeType(output.type), output);
}

function described(
  name: string,
  notes: string,
  { label, doc }: { readonly label?: string; readonly doc?: string },
): string {
  const text = [label, doc]
    .filter((one) => one !== undefined && one !== '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [`  ${name}  (${notes})`, ...wrapped(text).map((line) => `      ${line}`)].join('\n');
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width - 6) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
