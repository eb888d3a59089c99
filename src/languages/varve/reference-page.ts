// The reference page of the language, made from the field table and the tables of references, variables and units.
import { commandPath } from './command-environment.ts';
import { type FieldTable, shapeWords } from './field-shape.ts';
import {
  actionFields,
  actionTypes,
  containerFields,
  directoryFields,
  fileFields,
  parameterFields,
  parentInputFields,
  parentReferenceFields,
  resourceFields,
  retryFields,
  scatterFields,
  urlFields,
  workflowFields,
} from './field-table.ts';
import { durationForm, sizeForm } from './units.ts';

/** The whole page as Markdown. */
export function renderWorkflowReference(): string {
  return `${[
    '# The workflow language',
    '<!-- Generated from src/languages/varve/field-table.ts. -->',
    'A workflow is a JSON or YAML document. `varve validate FILE` checks it; the JSON Schema is in ' +
      '`schema/workflow.schema.json` (put its address in `$schema`, and editors complete and check as you type).',
    'The column *identity* says whether a change of the field makes another dataset (inside) or not (outside).',
    section('Workflow', workflowFields, false),
    section('Action', actionFields, true),
    section('Inputs', { ...fileFields, ...directoryFields, ...urlFields }, true, inputsText),
    section('Inputs from other actions', parentInputFields, true, parentsText),
    section('Parents', parentReferenceFields, true),
    section('Parameters', parameterFields, false, parametersText),
    section('Scatter', scatterFields, true, scatterText),
    `## Conditions\n\n${conditionsText}`,
    section('Resources', resourceFields, true),
    section('Retries', retryFields, true),
    section('Container', containerFields, true, containerText),
    `## References\n\n${referencesText}\n\n${table(['reference', 'stands for', 'where'], references)}`,
    `## Environment of a command\n\n${environmentText}\n\n${table(['variable', 'value'], variables)}`,
    `## Program files\n\n${programsText}`,
    `## Units\n\n* ${durationForm}\n* ${sizeForm}`,
    `## Action types\n\n${table(['type', 'meaning', 'available'], typeRows())}`,
  ].join('\n\n')}\n`;
}

function section(title: string, fields: FieldTable, identity: boolean, text?: string): string {
  const rows = Object.entries(fields).map(([name, field]) => [
    `\`${name}\`${field.required ? ' (required)' : ''}`,
    shapeWords(field.shape),
    field.default ?? '',
    ...(identity ? [field.identity ?? ''] : []),
    field.description,
  ]);
  const heads = ['field', 'value', 'default', ...(identity ? ['identity'] : []), 'meaning'];
  return [`## ${title}`, ...(text === undefined ? [] : [text]), table(heads, rows)].join('\n\n');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function typeRows(): string[][] {
  return Object.entries(actionTypes).map(([name, facts]) => [
    `\`${name}\``,
    facts.meaning,
    facts.available ? 'yes' : 'no back-end yet',
  ]);
}

const inputsText = `An input is a string, a number, true, false, a list of those, one of the objects below, or the dataset of
another action. A string may contain \`\${params.NAME}\`; one that is nothing else takes the parameter with its type, so
that a file or a list can be handed on.`;

const parentsText = `The path of the dataset (a directory), of one of its outputs, or of files in it. An input that stands for
several files (a glob, or a parent with \`scatter\`) is a folder of links in their order: \`00000.csv\`, \`00001.csv\`, …;
datasets without \`output\` or \`files\` are linked as \`00000\`, \`00001\`, …`;

const parametersText = `Short form: the default value itself (\`n: 3\`, \`names: [a, b]\`, \`table: { file: t.csv }\`). Long form:
the object below. Values are given with \`--input NAME=VALUE\` or in an inputs file; lists as \`a,b,c\` or as JSON.`;

const scatterText = `One element runs for each entry, with the id \`X[0]\`, \`X[1]\`, … The list is a literal, a parameter, a file of
a parent (\`as: lines\` or \`as: json\`), files of a parent (\`files: "*.csv"\` or an output that is a glob), or a parent with
\`scatter\`, whose elements are then the entries. An element is identified by its entry (a file by name and content), so
that only new and changed entries are computed. Actions that have a scattered action as parent get all elements in
order. Together with \`when\`, the condition is asked for each element; those for which it is false are left out.`;

const conditionsText = `\`when\` is a comparison or a combination of comparisons: \`inputs.NAME\` and \`params.NAME\`, numbers,
strings in quotes, \`true\`, \`false\`, \`null\`, lists \`[1, 2]\`; \`== != < <= > >= in\`, \`&& || !\`, parentheses, members of
JSON values (\`inputs.report.rows[0]\`) and \`size(x)\`. An input from another action needs \`as\`. An optional parent that
was skipped gives \`null\`. Example: \`when: inputs.rows > 0 && params.mode in ['full', 'fast']\`.`;

const containerText = `Inputs are mounted read-only, the working and the output directory read-write, all under their own paths;
there is no network unless \`network: true\`. A plain string is the name of the image.`;

const referencesText = `Items of a command list, values of \`env\`, output paths, \`stdout\` and \`stderr\` may contain references.
\`$\${\` stands for a literal \`\${\`. A command that is a string is never changed: there, values come as environment
variables, so that no value can be taken for a part of the command.`;

const references = [
  ['`${inputs.NAME}`', 'text of a value, path of a file or dataset, folder of links', 'everywhere'],
  [
    '`${inputs.NAME[*]}`',
    'each entry of a list, or each of several files, as a word of its own',
    'an item of a command list',
  ],
  ['`${outputs.NAME}`', 'absolute path of a named output', 'command, env, stdout, stderr'],
  ['`${output}`', 'the output directory', 'command, env'],
  ['`${params.NAME}`', 'value of a parameter; `[*]` as for inputs', 'everywhere, also in inputs'],
  [
    '`${resources.cores}`, `memory`, `disk`, `time`',
    'declared resource, in bytes and seconds',
    'command, env',
  ],
];

const environmentText = `The environment is clean: the variables below, those that \`env\` declares, and nothing else. The current
directory is an empty scratch directory. In \`<X>\` every character other than a letter, digit or \`_\` becomes \`_\`, and
letters become capitals; where a shell can write the name as it is, the variable exists in that form as well.`;

const variables = [
  ['`PATH`', `\`${commandPath}\`, unless \`env\` sets it`],
  ['`HOME`, `TMPDIR`', 'the scratch directory'],
  ['`LANG`', '`C.UTF-8`'],
  ['`VARVE_OUTPUT`', 'the output directory: what is written there becomes the dataset'],
  ['`VARVE_OUTPUT_<X>`', 'path of the output X, if it is no glob'],
  [
    '`VARVE_INPUT_<X>`',
    'the input X, or the dataset of the parent with id X; entries of a list one a line; empty for a skipped optional parent',
  ],
  [
    '`VARVE_ADDITIONAL_INPUT_<KEY>`, `VARVE_CONFIGURATION_<KEY>`',
    'values of `additionalInput` and `configurationParameters`',
  ],
  ['`VARVE_CORES`, `VARVE_MEMORY`', 'declared cores and bytes of memory'],
];

const programsText = `A word of a command that names a file in or below the folder of the document (\`tools/count.py\`, \`./run.sh\`)
makes that file a program file: its name and contents are part of the identity, and it appears under the same relative
path in the scratch directory. The first word of a command list is looked for in \`PATH\` unless it has a slash. Files that
the command uses without naming them are listed in \`programs\`. Programs of the system are not looked at.`;
