// Rows of the commands that run workflows and look at runs.
import type { CommandRows, OptionTable } from '../command.ts';

/** Options that only mean something for CWL documents. */
const cwlOptions = {
  basedir: { type: 'path', summary: 'CWL: folder that relative paths in the input object start at' },
  container: {
    type: 'choice',
    choices: ['auto', 'docker', 'podman', 'apptainer', 'none'],
    summary: 'the program that runs containers, instead of execution.container',
  },
  'no-container': {
    type: 'flag',
    summary: 'no containers: tools that only suggest one run as they are, others are unsupported (exit 33)',
  },
  provenance: { type: 'path', summary: 'CWL: describe the run there, as an RO-Crate with its files' },
  'no-reuse': { type: 'flag', summary: 'CWL: compute every step again' },
  validate: { type: 'flag', summary: 'only check the document' },
  'make-template': { type: 'flag', summary: 'CWL: print an input object to fill in' },
  'print-deps': { type: 'flag', summary: 'CWL: print what the document refers to, as a File object' },
  'tool-help': { type: 'flag', summary: 'CWL: print what the document says about itself and its inputs' },
} as const satisfies OptionTable;

const runArgument = { name: 'run', summary: 'number of the run; `varve runs` lists them' } as const;

export const runCommands = {
  run: {
    remote: true,
    summary: 'run a workflow; only what is not known already is computed',
    description:
      'Reads a workflow (Varve in JSON or YAML, or CWL), plans it against everything that was ever computed here, runs what is missing and waits for the end. What another run is computing at this moment is waited for, not computed twice. Control-C cancels the run; pressed twice it leaves at once and the run can be taken up later by `varve work`.\n\nA CWL document takes an input object as a file, or inputs as options of their own (`--reads a.fq --threads 4`; after `--` where a name is also an option of this command). Its output object goes to stdout, files to --outdir or the current folder. `cwl-runner` is the same command.',
    keepsRest: true,
    arguments: [
      { name: 'workflow', summary: 'the document', isPath: true },
      {
        name: 'inputs',
        summary: 'a YAML or JSON file with values of the parameters',
        optional: true,
        isPath: true,
      },
    ],
    options: {
      input: {
        type: 'text',
        short: 'i',
        multiple: true,
        placeholder: 'NAME=VALUE',
        summary: 'value of a parameter; may be given several times',
      },
      'dry-run': { type: 'flag', short: 'n', summary: 'print what would be done and why, and do nothing' },
      outdir: {
        type: 'path',
        short: 'o',
        summary: 'put the results there: one folder per leaf action, or the files of a CWL output object',
      },
      force: {
        type: 'text',
        short: 'f',
        multiple: true,
        placeholder: 'ACTION',
        summary: 'compute this action again even if its dataset is stored',
      },
      priority: { type: 'integer', default: '0', summary: 'larger goes first among the runs that wait' },
      detach: { type: 'flag', short: 'd', summary: 'only submit; a `varve work` process does the work' },
      ...cwlOptions,
    },
    examples: [
      { line: 'varve run flow.yaml', what: 'run it; again: everything is reused' },
      {
        line: 'varve run flow.yaml --input sample=7 --outdir results',
        what: 'with a parameter, results in a folder',
      },
      { line: 'varve run flow.yaml --dry-run', what: 'what would run, and why' },
      { line: 'varve run align.cwl inputs.yml --outdir results', what: 'a CWL document with its inputs' },
      { line: 'varve run align.cwl --reads a.fq --threads 4', what: 'inputs as options' },
    ],
  },
  validate: {
    remote: true,
    summary: 'check workflow documents and report every problem',
    arguments: [{ name: 'workflow', summary: 'the documents', variadic: true, isPath: true }],
    examples: [{ line: 'varve validate flow.yaml tool.cwl', what: 'each problem with file:line:column' }],
  },
  runs: {
    remote: true,
    summary: 'list runs, newest first',
    options: {
      limit: { type: 'integer', min: 1, default: '20', summary: 'how many' },
      all: { type: 'flag', summary: 'of all users' },
    },
    examples: [{ line: 'varve runs --limit 5', what: 'the last five' }],
  },
  show: {
    remote: true,
    summary: 'show a run: its actions, their states and times',
    arguments: [runArgument],
    examples: [{ line: 'varve show 7', what: 'one line per action' }],
  },
  why: {
    remote: true,
    summary: 'explain why each action of a run ran or did not',
    description:
      'For an action that was computed, names the nearest earlier dataset of the same name and the fields in which the definitions differ.',
    arguments: [runArgument, { name: 'action', summary: 'only this action', optional: true }],
    examples: [
      { line: 'varve why 7', what: 'every action, one line each' },
      { line: 'varve why 7 align', what: 'one action in full' },
    ],
  },
  logs: {
    remote: true,
    summary: 'print what an action wrote to its standard output and error',
    arguments: [
      runArgument,
      { name: 'action', summary: 'its id; all actions that failed without it', optional: true },
    ],
    options: {
      follow: { type: 'flag', short: 'f', summary: 'go on printing until the action ends' },
      stream: {
        type: 'choice',
        choices: ['both', 'stdout', 'stderr'],
        default: 'both',
        summary: 'which of the two',
      },
      attempt: { type: 'integer', min: 1, summary: 'which attempt; the last one unless given' },
    },
    examples: [{ line: 'varve logs 7 align -f', what: 'follow it live' }],
  },
  cancel: {
    remote: true,
    summary: 'cancel a run; work that another run shares goes on',
    arguments: [runArgument],
    examples: [{ line: 'varve cancel 7', what: 'stop it' }],
  },
  retry: {
    remote: true,
    summary: 'run a failed or cancelled run again from where it ended',
    arguments: [runArgument],
    options: {
      detach: { type: 'flag', short: 'd', summary: 'only submit' },
      outdir: { type: 'path', short: 'o', summary: 'put the results there' },
    },
    examples: [{ line: 'varve retry 7', what: 'what was finished is reused' }],
  },
  rerun: {
    remote: true,
    summary: 'compute chosen actions of a run again, and everything below that changes',
    arguments: [runArgument, { name: 'action', summary: 'ids of actions', variadic: true }],
    options: {
      detach: { type: 'flag', short: 'd', summary: 'only submit' },
      outdir: { type: 'path', short: 'o', summary: 'put the results there' },
    },
    examples: [{ line: 'varve rerun 7 align', what: 'align runs; its children run if its bytes change' }],
  },
  work: {
    summary: 'work for other processes: take and run actions until stopped',
    options: {
      'until-idle': { type: 'flag', summary: 'end when no run is left' },
    },
    examples: [{ line: 'varve work', what: 'beside `varve run --detach`' }],
  },
} as const satisfies CommandRows;
