// The one description of the workflow language: every field with its shape, default, meaning, and whether it is part of a
// dataset's identity. Checks, JSON Schema and the reference page are made from it.
import type {
  ActionDocument,
  CallDocument,
  ContainerDocument,
  DefaultsDocument,
  KeyedValue,
  ParentInput,
  ParentReference,
  ResourcesDocument,
  RetriesDocument,
  ScatterDocument,
  WorkflowDocument,
} from './document.ts';
import { type Field, type FieldTable, plainName, type Shape, tagRule, variableName } from './field-shape.ts';

type TableOf<T> = { readonly [K in keyof Required<T>]: Field };

const text: Shape = { is: 'string' };
const anyText: Shape = { is: 'string', empty: true };
const flag: Shape = { is: 'boolean' };
const anyNumber: Shape = { is: 'number' };
const exitCodes: Shape = { is: 'list', of: { is: 'integer', least: 0, most: 255 }, least: 1 };
const scalar: Shape = {
  is: 'one of',
  what: 'a string, a number, true or false',
  of: [anyText, anyNumber, flag],
};

/** Action types that Varve knows; those of Hadoop need a back-end that is not part of it yet. */
export const actionTypes = {
  'command-line': { available: true, meaning: 'runs a program or a shell command' },
  cwl: { available: true, meaning: 'calls a CWL CommandLineTool or ExpressionTool' },
  'map-reduce-1': { available: false, meaning: 'a Hadoop MapReduce job (first API)' },
  'map-reduce-2': { available: false, meaning: 'a Hadoop MapReduce job (second API)' },
  spark: { available: false, meaning: 'a Spark application' },
  sqoop: { available: false, meaning: 'a Sqoop transfer' },
} as const;

export const resourceFields = {
  cores: {
    shape: { is: 'number', above: 0 },
    default: '1',
    description: 'Processor cores that the action uses; also in `VARVE_CORES`.',
    identity: 'outside',
  },
  memory: {
    shape: { is: 'size' },
    description: 'Memory that it needs; in bytes in `VARVE_MEMORY`.',
    identity: 'outside',
  },
  disk: {
    shape: { is: 'size' },
    description: 'Scratch and output space that it needs.',
    identity: 'outside',
  },
  time: {
    shape: { is: 'duration' },
    description: 'Expected wall time, for back-ends that reserve it.',
    identity: 'outside',
  },
  tags: {
    shape: { is: 'list', of: { is: 'name', rule: tagRule } },
    default: 'none',
    description: 'What the machine must offer: the action waits for a worker that has all of these tags.',
    identity: 'outside',
  },
} as const satisfies TableOf<ResourcesDocument>;

export const retryFields = {
  count: {
    shape: { is: 'integer', least: 0, most: 1000 },
    required: true,
    description: 'Attempts after the first.',
    identity: 'outside',
  },
  delay: {
    shape: { is: 'duration' },
    default: '1s',
    description: 'Pause before the second attempt.',
    identity: 'outside',
  },
  backoff: {
    shape: { is: 'number', least: 1, most: 1000 },
    default: '2',
    description: 'Every further pause is this many times longer.',
    identity: 'outside',
  },
  maxDelay: {
    shape: { is: 'duration' },
    default: '5m',
    description: 'No pause is longer than this.',
    identity: 'outside',
  },
  exitCodes: {
    shape: exitCodes,
    default: 'every failure',
    description: 'Only these exit codes are worth another attempt.',
    identity: 'outside',
  },
} as const satisfies TableOf<RetriesDocument>;

export const containerFields = {
  image: {
    shape: text,
    required: true,
    description: 'Name of the image, as the engine understands it.',
    identity: 'inside',
  },
  engine: {
    shape: { is: 'choice', of: ['docker', 'podman', 'apptainer'] },
    default: 'the first that works',
    description: 'Container engine to use.',
    identity: 'outside',
  },
  digest: {
    shape: text,
    description: '`sha256:…` of the image: pins it, and stands for the image name in the identity.',
    identity: 'inside',
  },
} as const satisfies TableOf<ContainerDocument>;

const fileField: Field = {
  shape: text,
  required: true,
  description:
    'Path relative to the folder of the document; the contents and the last name of the path count, not the place.',
  identity: 'inside',
};
export const fileFields = { file: fileField } as const satisfies FieldTable;
export const directoryFields = {
  directory: {
    ...fileField,
    description: 'Directory relative to the folder of the document, taken with all it contains.',
  },
} as const satisfies FieldTable;
export const urlFields = {
  url: {
    shape: text,
    required: true,
    description: 'http(s) address of a file, fetched when the run is submitted; its contents count.',
    identity: 'inside',
  },
} as const satisfies FieldTable;

export const parentInputFields = {
  from: {
    shape: { is: 'id' },
    required: true,
    description: 'Id of the action whose dataset is wanted; it need not be in `parentActions` as well.',
    identity: 'outside',
  },
  output: { shape: text, description: 'Only this named output of it.', identity: 'inside' },
  files: {
    shape: { is: 'inner path', glob: true },
    description: 'Only the files of its dataset that match this glob, in the order of their names.',
    identity: 'inside',
  },
  as: {
    shape: { is: 'choice', of: ['text', 'number', 'json', 'lines'] },
    description:
      'Take what the file contains as a value (at most 64 KB; 16 MB for a `scatter` list) instead of its path.',
    identity: 'inside',
  },
  optional: {
    shape: flag,
    default: 'false',
    description: 'The other action may be skipped by its condition; the input is then empty.',
    identity: 'outside',
  },
} as const satisfies TableOf<ParentInput>;

const given: readonly Shape[] = [
  anyText,
  anyNumber,
  flag,
  { is: 'object', what: '{ file: path }', fields: fileFields },
  { is: 'object', what: '{ directory: path }', fields: directoryFields },
  { is: 'object', what: '{ url: address }', fields: urlFields },
];
const givenInput: Shape = {
  is: 'one of',
  what: 'a string, a number, true, false, { file }, { directory } or { url }',
  of: given,
};
const givenList: Shape = { is: 'list', of: givenInput };
const input: Shape = {
  is: 'one of',
  what: 'a string, a number, true, false, a list, { file }, { directory }, { url } or { from }',
  of: [...given, givenList, { is: 'object', what: '{ from: action id }', fields: parentInputFields }],
};

export const parameterFields = {
  type: {
    shape: { is: 'choice', of: ['string', 'number', 'boolean', 'list', 'file', 'directory', 'url'] },
    required: true,
    description: 'What values the parameter takes.',
  },
  default: {
    shape: {
      is: 'one of',
      what: 'a string, a number, true, false or a list',
      of: [anyText, anyNumber, flag, givenList],
    },
    description:
      'Used when no value is given; without it a value must be given. A path or address for files.',
  },
  description: { shape: anyText, description: 'For people.' },
} as const satisfies FieldTable;

export const parentReferenceFields = {
  id: { shape: { is: 'id' }, required: true, description: 'Id of the parent.', identity: 'inside' },
  optional: {
    shape: flag,
    default: 'false',
    description: 'The parent may be skipped by its condition.',
    identity: 'outside',
  },
} as const satisfies TableOf<ParentReference>;

export const scatterFields = {
  over: {
    shape: text,
    required: true,
    description: 'Name of the input that is a list: one element of the action runs for each entry.',
    identity: 'inside',
  },
  as: {
    shape: text,
    default: 'the name in `over`',
    description: 'Name of the input under which an element finds its entry.',
    identity: 'inside',
  },
} as const satisfies TableOf<ScatterDocument>;

const keyedFields = {
  key: {
    shape: text,
    default: 'its position, from 1',
    description: 'Name of the value.',
    identity: 'inside',
  },
  value: { shape: scalar, description: 'Entries without value are passed over.', identity: 'inside' },
} as const satisfies TableOf<KeyedValue>;
const keyedList: Shape = { is: 'list', of: { is: 'object', what: '{ key, value }', fields: keyedFields } };

export const defaultFields = {
  resources: {
    shape: { is: 'object', what: 'an object with cores, memory, disk, time, tags', fields: resourceFields },
    description: 'What the action needs of the machine.',
    identity: 'outside',
  },
  retries: {
    shape: {
      is: 'one of',
      what: 'a number or an object with count, delay, backoff, maxDelay, exitCodes',
      of: [
        { is: 'integer', least: 0, most: 1000 },
        { is: 'object', what: 'an object with count', fields: retryFields },
      ],
    },
    default: '0',
    description: 'How often, and when, a failed action is tried again.',
    identity: 'outside',
  },
  timeout: {
    shape: { is: 'duration' },
    default: 'none',
    description: 'The command is ended after this time and counts as failed.',
    identity: 'outside',
  },
  env: {
    shape: { is: 'map', names: variableName, of: scalar },
    default: '{}',
    description: 'Environment variables of the command; may contain references.',
    identity: 'inside',
  },
  container: {
    shape: {
      is: 'one of',
      what: 'the name of an image or an object with image, engine, digest',
      of: [text, { is: 'object', what: 'an object with image', fields: containerFields }],
    },
    default: 'none',
    description: 'Container image in which the command runs.',
    identity: 'inside',
  },
  network: {
    shape: flag,
    default: 'false',
    description: 'The command uses the network; a container or a sandbox has none otherwise.',
    identity: 'inside',
  },
  keep: {
    shape: { is: 'choice', of: ['auto', 'always', 'never'] },
    default: 'auto',
    description: 'Whether the dataset is kept as space allows, for good, or only until its last use.',
    identity: 'outside',
  },
  priority: {
    shape: { is: 'integer', least: -1_000_000, most: 1_000_000 },
    default: '0',
    description: 'Larger starts first.',
    identity: 'outside',
  },
} as const satisfies TableOf<DefaultsDocument>;

export const actionFields = {
  id: {
    shape: { is: 'id' },
    required: true,
    description: 'Unique in the workflow; 1 and "1" are the same.',
    identity: 'outside',
  },
  name: {
    shape: text,
    default: 'the id',
    description: 'For people; need not be unique.',
    identity: 'outside',
  },
  description: { shape: anyText, description: 'For people.', identity: 'outside' },
  type: {
    shape: text,
    default: 'command-line',
    description: `Action type: ${Object.keys(actionTypes).join(', ')} (those of Hadoop have no back-end).`,
    identity: 'inside',
  },
  parentActions: {
    shape: {
      is: 'list',
      of: {
        is: 'one of',
        what: 'an id or { id: … }',
        of: [{ is: 'id' }, { is: 'object', what: '{ id: … }', fields: parentReferenceFields }],
      },
    },
    default: '[]',
    description: 'Actions that must end first; the dataset of parent X is in `VARVE_INPUT_X`.',
    identity: 'inside',
  },
  forceComputation: {
    shape: flag,
    default: 'false',
    description: 'Compute even if the dataset is available.',
    identity: 'outside',
  },
  isManaged: {
    shape: flag,
    default: 'true, or false with outputPath',
    description: 'Varve chooses where the dataset is stored and how long.',
    identity: 'outside',
  },
  outputPath: {
    shape: text,
    description: 'Where the dataset of an unmanaged action goes; relative to the folder of the document.',
    identity: 'outside',
  },
  command: {
    shape: {
      is: 'one of',
      what: 'a list of words or a shell command',
      of: [text, { is: 'list', of: scalar, least: 1 }],
    },
    required: true,
    description: 'A list is run as it is and may contain references; a string is run by `/bin/sh -c`.',
    identity: 'inside',
  },
  inputs: {
    shape: { is: 'map', names: plainName, of: input },
    default: '{}',
    description:
      'Named inputs: values, files, addresses, datasets of other actions; input X is in `VARVE_INPUT_X`.',
    identity: 'inside',
  },
  outputs: {
    shape: { is: 'map', names: plainName, of: { is: 'inner path', glob: true } },
    default: 'the whole directory',
    description: 'Named outputs: a path or glob inside the output directory; each must exist at the end.',
    identity: 'inside',
  },
  stdin: {
    shape: {
      is: 'one of',
      what: 'the name of an input or { file: path }',
      of: [text, { is: 'object', what: '{ file: path }', fields: fileFields }],
    },
    default: 'empty',
    description: 'Standard input of the command: the name of an input, or a file.',
    identity: 'inside',
  },
  stdout: {
    shape: { is: 'inner path' },
    default: 'the log',
    description: 'File in the output directory that gets the standard output.',
    identity: 'inside',
  },
  stderr: {
    shape: { is: 'inner path' },
    default: 'the log',
    description: 'File in the output directory that gets the standard error.',
    identity: 'inside',
  },
  programs: {
    shape: { is: 'list', of: { is: 'inner path' } },
    default: '[]',
    description: 'Files beside the document that the command uses without naming them.',
    identity: 'inside',
  },
  successCodes: {
    shape: exitCodes,
    default: '[0]',
    description: 'Exit codes that count as success.',
    identity: 'inside',
  },
  when: {
    shape: { is: 'one of', what: 'a condition', of: [text, flag] },
    default: 'true',
    description: 'Condition; if it is false the action is skipped.',
    identity: 'outside',
  },
  scatter: {
    shape: {
      is: 'one of',
      what: 'the name of an input or { over, as }',
      of: [text, { is: 'object', what: '{ over, as }', fields: scatterFields }],
    },
    description: 'Run one element for each entry of an input that is a list.',
    identity: 'inside',
  },
  additionalInput: {
    shape: keyedList,
    description: 'Values in `VARVE_ADDITIONAL_INPUT_<KEY>`, in this order.',
    identity: 'inside',
  },
  configurationParameters: {
    shape: keyedList,
    description: 'Values without white space in `VARVE_CONFIGURATION_<KEY>`, in this order.',
    identity: 'inside',
  },
  ...defaultFields,
} as const satisfies TableOf<ActionDocument>;

/** The fields of an action of type `cwl`. */
export const callFields = {
  id: actionFields.id,
  name: actionFields.name,
  description: actionFields.description,
  type: { shape: { is: 'choice', of: ['cwl'] }, required: true, description: '`cwl`.', identity: 'inside' },
  tool: {
    shape: text,
    required: true,
    description:
      'Path (relative to the folder of the document) or http(s) address of a CommandLineTool or ExpressionTool; `#name` for one process of a packed document.',
    identity: 'inside',
  },
  inputs: {
    shape: { is: 'map', names: plainName, of: input },
    default: '{}',
    description: 'The inputs of the tool by name; of other actions a named `output`.',
    identity: 'inside',
  },
  forceComputation: actionFields.forceComputation,
  keep: actionFields.keep,
  priority: actionFields.priority,
} as const satisfies TableOf<CallDocument>;

export const workflowFields = {
  $schema: { shape: text, description: 'Address of the JSON Schema, for editors.' },
  name: { shape: text, required: true, description: 'Name of the workflow.' },
  description: { shape: anyText, description: 'For people.' },
  startActionId: { shape: { is: 'id' }, description: 'The first action; derived when left out.' },
  endActionId: {
    shape: { is: 'id' },
    description: 'The last action: a result of the run like every action without children.',
  },
  failurePolicy: {
    shape: { is: 'choice', of: ['stop', 'finish-what-is-possible'] },
    default: 'stop',
    description: 'After a failure start nothing more, or go on with what does not need the failed action.',
  },
  params: {
    shape: {
      is: 'map',
      names: plainName,
      of: {
        is: 'one of',
        what: 'a value, a list, { file }, { directory }, { url } or { type, default, description }',
        of: [
          ...given,
          givenList,
          { is: 'object', what: '{ type, default, description }', fields: parameterFields },
        ],
      },
    },
    default: '{}',
    description: 'Parameters with their defaults; a run may set others (`--input NAME=VALUE`).',
  },
  defaults: {
    shape: { is: 'object', what: 'an object of action fields', fields: defaultFields },
    description: 'Values for actions that do not set them; `env` and `resources` are merged name by name.',
  },
  actions: {
    shape: { is: 'list', of: { is: 'object', what: 'an action', fields: actionFields } },
    required: true,
    description: 'The actions, at least one, in any order.',
  },
} as const satisfies TableOf<WorkflowDocument>;
