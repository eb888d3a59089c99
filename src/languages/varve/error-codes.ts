// Every error of the Varve workflow language. Those found while a document is read are the `problems` of one
// WORKFLOW_INVALID or WORKFLOW_UNSUPPORTED; those at the end end an attempt or an expansion.
import { defineErrors } from '../../core/errors.ts';

/** Text from a document in quotes, cut so that a message stays one line. */
export function quote(text: string): string {
  const shown = text.length > 120 ? `${text.slice(0, 117)}…` : text;
  return JSON.stringify(shown);
}

export const languageErrors = defineErrors({
  WORKFLOW_INVALID: {
    kind: 'invalid',
    summary: 'The workflow document has mistakes; each is listed with its place and its own code.',
    message: (file: string, count: number, shown: number) =>
      `${file} is not a valid workflow: ${count} problem${count === 1 ? '' : 's'}${shown < count ? `, the first ${shown} are shown` : ''}`,
  },
  WORKFLOW_UNSUPPORTED: {
    kind: 'unsupported',
    summary: 'The workflow document is right but asks for something that is not available here.',
    message: (file: string, count: number) =>
      `${file} needs what is not available here: ${count} problem${count === 1 ? '' : 's'}`,
  },
  DOCUMENT_SYNTAX: {
    kind: 'invalid',
    summary: 'The text is not well-formed JSON or YAML.',
    message: (detail: string) => `the text cannot be parsed: ${detail}`,
  },
  DOCUMENT_TOO_LARGE: {
    kind: 'invalid',
    summary: 'The text is longer than the limit for its format; large workflows belong in JSON, not YAML.',
    message: (format: string, length: number, limit: number) =>
      `the ${format} text has ${length} characters, more than the limit of ${limit}`,
  },
  DOCUMENT_TOO_DEEP: {
    kind: 'invalid',
    summary: 'Lists and objects are nested deeper than any workflow needs.',
    message: (limit: number) => `the document is nested deeper than ${limit} levels`,
  },
  DOCUMENT_DUPLICATE_KEY: {
    kind: 'invalid',
    summary: 'An object has the same key twice; one of the two values would be lost.',
    message: (key: string) => `the key ${quote(key)} occurs twice in one object`,
    hint: 'remove or rename one of them',
  },
  DOCUMENT_ALIASES: {
    kind: 'invalid',
    summary: 'The aliases of a YAML document stand for far more text than the document has.',
    message: () => 'the aliases of the document expand to too much',
    hint: 'write the repeated parts out, or use `defaults`',
  },
  TOOL_INVALID: {
    kind: 'invalid',
    summary: 'The tool that an action calls has mistakes, or its inputs do not fit.',
    message: (where: string, tool: string, detail: string) => `${where}: ${quote(tool)}: ${detail}`,
  },
  TOOL_UNSUPPORTED: {
    kind: 'unsupported',
    summary: 'The tool that an action calls asks for something that is not available here.',
    message: (where: string, tool: string, detail: string) => `${where}: ${quote(tool)}: ${detail}`,
  },
  TOOL_INPUT: {
    kind: 'invalid',
    summary: 'An action gives a tool an input that the tool does not have.',
    message: (where: string, tool: string, name: string) =>
      `${where}: ${quote(tool)} has no input ${quote(name)}`,
  },
  FIELD_UNKNOWN: {
    kind: 'invalid',
    summary: 'A field has a name that does not exist at this place.',
    message: (field: string, where: string) => `${where} has no field ${quote(field)}`,
  },
  FIELD_MISSING: {
    kind: 'invalid',
    summary: 'A required field is not there.',
    message: (field: string, where: string) => `${where} must have the field ${quote(field)}`,
  },
  FIELD_TYPE: {
    kind: 'invalid',
    summary: 'A field has a value of the wrong type.',
    message: (where: string, wanted: string, found: string) => `${where} must be ${wanted}, not ${found}`,
  },
  FIELD_VALUE: {
    kind: 'invalid',
    summary: 'A field has a value of the right type that is not allowed.',
    message: (where: string, wanted: string, found: string) => `${where} must be ${wanted}, not ${found}`,
  },
  FIELD_CONFLICT: {
    kind: 'invalid',
    summary: 'Two fields contradict each other.',
    message: (where: string, detail: string) => `${where}: ${detail}`,
  },
  NAME_INVALID: {
    kind: 'invalid',
    summary: 'A name that the document chooses has characters that are not allowed there.',
    message: (where: string, name: string, wanted: string) =>
      `${where}: the name ${quote(name)} is not allowed: ${wanted}`,
  },
  WORKFLOW_NO_ACTIONS: {
    kind: 'invalid',
    summary: 'A workflow has at least one action.',
    message: () => 'the workflow has no actions',
    hint: 'add at least one entry to `actions`',
  },
  ACTION_ID_DUPLICATE: {
    kind: 'invalid',
    summary: 'Two actions of one workflow have the same id (1 and "1" are the same).',
    message: (id: string) => `the id ${quote(id)} belongs to another action already`,
    hint: 'every action needs an id of its own',
  },
  ACTION_UNDEFINED: {
    kind: 'invalid',
    summary: 'An action is referred to that the workflow does not define.',
    message: (where: string, id: string) => `${where}: there is no action with the id ${quote(id)}`,
  },
  WORKFLOW_CYCLE: {
    kind: 'invalid',
    summary: 'Actions wait for each other in a circle, so none of them could start.',
    message: (ids: readonly string[], more: number) =>
      `actions wait for each other: ${ids.map((id) => quote(id)).join(' -> ')}${more > 0 ? ` (and ${more} more)` : ''}`,
    hint: 'remove one of these dependencies',
  },
  WORKFLOW_END_BEFORE_START: {
    kind: 'invalid',
    summary: 'The end action is an ancestor of the start action.',
    message: (end: string, start: string) =>
      `the end action ${quote(end)} comes before the start action ${quote(start)}`,
  },
  ACTION_TYPE_UNKNOWN: {
    kind: 'invalid',
    summary: 'The type of an action is none that Varve knows.',
    message: (where: string, type: string) => `${where}: there is no action type ${quote(type)}`,
  },
  ACTION_TYPE_UNSUPPORTED: {
    kind: 'unsupported',
    summary: 'The action type is known, but its back-end is not configured.',
    message: (where: string, type: string) =>
      `${where}: actions of type ${quote(type)} need a Hadoop back-end, and none is configured`,
    hint: 'use the type "command-line", or submit to a server that has this back-end',
  },
  UNIT_INVALID: {
    kind: 'invalid',
    summary: 'A duration or a size is not written as Varve understands it.',
    message: (where: string, text: string, wanted: string) => `${where}: ${quote(text)} is not ${wanted}`,
  },
  REFERENCE_SYNTAX: {
    kind: 'invalid',
    summary: 'A ${…} reference is malformed or not allowed at its place.',
    message: (where: string, detail: string) => `${where}: ${detail}`,
  },
  REFERENCE_UNKNOWN: {
    kind: 'invalid',
    summary: 'A ${…} reference names something that does not exist.',
    message: (where: string, reference: string) => `${where}: \${${reference}} refers to nothing`,
  },
  REFERENCE_IN_SHELL: {
    kind: 'invalid',
    summary: 'A shell command contains a ${…} reference; values reach the shell as environment variables.',
    message: (where: string, reference: string) =>
      `${where}: \${${reference}} cannot stand in a shell command`,
  },
  VARIABLE_COLLISION: {
    kind: 'invalid',
    summary: 'Two inputs or two outputs of an action would have the same environment variable.',
    message: (where: string, first: string, second: string, variable: string) =>
      `${where}: ${quote(first)} and ${quote(second)} would both be ${variable}`,
    hint: 'give one of them another name; a parent gets one under `inputs`',
  },
  OUTPUT_UNDEFINED: {
    kind: 'invalid',
    summary: 'An input asks for a named output that the other action does not declare.',
    message: (where: string, action: string, output: string) =>
      `${where}: action ${quote(action)} declares no output ${quote(output)}`,
  },
  SCATTER_NOT_LIST: {
    kind: 'invalid',
    summary: '`scatter` needs an input that is a list.',
    message: (where: string, input: string) => `${where}: the input ${quote(input)} is not a list`,
    hint: 'use a list, a parent\'s file with `as: lines` or `as: json`, `files: "*.csv"` of a parent, or a scattered parent',
  },
  CONDITION_SYNTAX: {
    kind: 'invalid',
    summary: 'The text of a `when` condition cannot be parsed.',
    message: (where: string, detail: string) => `${where}: ${detail}`,
  },
  CONDITION_REFERENCE: {
    kind: 'invalid',
    summary: 'A `when` condition uses something that does not exist or has no value.',
    message: (where: string, detail: string) => `${where}: ${detail}`,
  },
  FILE_MISSING: {
    kind: 'invalid',
    summary: 'A file or directory that the document names does not exist or has the wrong kind.',
    message: (where: string, path: string, detail: string) => `${where}: ${path} ${detail}`,
  },
  PARAMETER_MISSING: {
    kind: 'invalid',
    summary: 'A parameter without default got no value.',
    message: (name: string) => `the parameter ${quote(name)} has no value`,
    hint: 'give one with --input NAME=VALUE or in an inputs file, or add a `default`',
  },
  PARAMETER_UNKNOWN: {
    kind: 'invalid',
    summary: 'A value was given for a parameter that the workflow does not have.',
    message: (name: string) => `the workflow has no parameter ${quote(name)}`,
  },
  PARAMETER_VALUE: {
    kind: 'invalid',
    summary: 'The value that was given for a parameter does not fit its type.',
    message: (name: string, wanted: string, found: string) =>
      `the parameter ${quote(name)} must be ${wanted}, not ${found}`,
  },
  URL_UNSUPPORTED: {
    kind: 'unsupported',
    summary: 'An input is given by URL, but nothing is configured that fetches it.',
    message: (where: string, url: string) => `${where}: ${url} cannot be fetched here`,
    hint: 'download it and name the file instead',
  },
  CONTAINER_ENGINE_MISSING: {
    kind: 'unsupported',
    summary: 'An action wants a container, but no container engine that it accepts works here.',
    message: (wanted: string) => `no working container engine (wanted: ${wanted})`,
    hint: 'install docker, podman or apptainer, or remove `container`',
  },
  CONDITION_VALUE: {
    kind: 'failed',
    summary: 'A `when` condition met a value that it cannot work with.',
    message: (condition: string, detail: string) => `when ${quote(condition)}: ${detail}`,
  },
  SCATTER_VALUE: {
    kind: 'failed',
    summary: 'The list over which an action is scattered could not be read from the parent.',
    message: (action: string, detail: string) => `scatter of ${quote(action)}: ${detail}`,
  },
  INPUT_VALUE: {
    kind: 'failed',
    summary: 'The value of an input could not be read from the dataset of its parent.',
    message: (input: string, detail: string) => `input ${quote(input)}: ${detail}`,
  },
  INPUT_CHANGED: {
    kind: 'failed',
    summary: 'A file was changed or removed between the submission of the run and the start of the action.',
    message: (path: string) => `${path} was changed or removed after the run was submitted`,
    hint: 'submit the workflow again',
  },
  COMMAND_FAILED: {
    kind: 'failed',
    summary:
      'The command of an action ended with an exit code that does not count as success, or by a signal.',
    message: (detail: string, lastLine: string) => `the command ${detail}${lastLine ? `: ${lastLine}` : ''}`,
  },
  OUTPUT_MISSING: {
    kind: 'failed',
    summary: 'The command ended well but a declared output is not in its output directory.',
    message: (output: string, path: string) =>
      `the output ${quote(output)} is missing: nothing at ${path} in the output directory`,
    hint: 'the command must write its outputs below the directory in $VARVE_OUTPUT',
  },
  OUTPUT_PATH: {
    kind: 'failed',
    summary: 'The path of an output, made from the values of inputs, leaves the output directory.',
    message: (output: string, path: string) =>
      `${output}: the path ${quote(path)} is not inside the output directory`,
  },
  EXPANSION_ONLY: {
    kind: 'bug',
    summary: 'A node that only grows the graph was executed.',
    message: (key: string) => `the node ${quote(key)} expands and cannot be executed`,
  },
});
