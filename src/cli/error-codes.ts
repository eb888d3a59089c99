// What can be wrong with a command line, and what becomes of errors that come from outside Varve.
import { defineErrors } from '../core/errors.ts';

export const cliErrors = defineErrors({
  BUG: {
    kind: 'bug',
    summary:
      'Varve itself is at fault. The message names a file with the details; please report it with that file.',
    message: (what: string, details: string) => `internal error: ${what}; details in ${details}`,
  },
  CLI_USAGE: {
    kind: 'invalid',
    summary: 'Several things are wrong with the command line; each is listed below the message.',
    message: (count: number) => `the command line has ${count} problems`,
  },
  CLI_UNKNOWN_COMMAND: {
    kind: 'invalid',
    summary: 'There is no such command. `varve --help` lists all commands.',
    message: (name: string) => `unknown command ${name}`,
    hint: '`varve --help` lists all commands',
  },
  CLI_INCOMPLETE_COMMAND: {
    kind: 'invalid',
    summary: 'The first word of a command stands for a group; a second word has to follow.',
    message: (group: string, members: string) => `${group} needs one of ${members}`,
  },
  CLI_UNKNOWN_OPTION: {
    kind: 'invalid',
    summary: 'The command has no such option. Options of a command come after its name.',
    message: (option: string, command: string) => `${command} has no option ${option}`,
  },
  CLI_OPTION_VALUE: {
    kind: 'invalid',
    summary: 'The value of an option is missing or has the wrong form.',
    message: (option: string, expected: string, found: string) =>
      `${option}: expected ${expected}, found ${found}`,
  },
  CLI_MISSING_ARGUMENT: {
    kind: 'invalid',
    summary: 'A required argument of the command is missing.',
    message: (command: string, argument: string) => `${command} needs ${argument}`,
  },
  CLI_UNEXPECTED_ARGUMENT: {
    kind: 'invalid',
    summary: 'The command takes fewer arguments.',
    message: (command: string, argument: string) => `${command} takes no argument ${argument}`,
  },
  CLI_ARGUMENT_VALUE: {
    kind: 'invalid',
    summary: 'An argument is not among the values that the command knows.',
    message: (argument: string, expected: string, found: string) =>
      `${argument}: expected ${expected}, found ${found}`,
  },
  CLI_RUN_NUMBER: {
    kind: 'invalid',
    summary: 'Runs are named by their number. `varve runs` lists them.',
    message: (text: string) => `"${text}" is no run number`,
    hint: 'list runs with `varve runs`',
  },
  CLI_INPUT_FLAG: {
    kind: 'invalid',
    summary: 'The value of --input is a parameter and its value, joined by an equals sign.',
    message: (text: string) => `--input ${text}: expected NAME=VALUE`,
  },
  CLI_INPUTS_FILE: {
    kind: 'invalid',
    summary: 'The inputs file holds a mapping of parameter names to values, in YAML or JSON.',
    message: (path: string) => `${path}: expected a mapping of parameter names to values`,
  },
  CLI_CWL_ONLY: {
    kind: 'invalid',
    summary: 'The option means something for CWL documents only, and the document is not one.',
    message: (option: string, path: string) => `--${option}: ${path} is no CWL document`,
  },
  CLI_NO_LOG: {
    kind: 'missing',
    summary: 'The action wrote no log: it was reused, skipped, or has not begun.',
    message: (key: string, state: string) => `action ${key} has no log: it is ${state}`,
  },
  CLI_TARGET_EXISTS: {
    kind: 'conflict',
    summary: 'Results are put only where nothing is yet.',
    message: (path: string) => `${path} is there already`,
    hint: 'choose another folder, or remove it',
  },
  CLI_INIT_EXISTS: {
    kind: 'conflict',
    summary: '`varve init` never overwrites anything. Name another folder, or move the files away.',
    message: (folder: string, files: string) => `${folder} already has ${files}`,
    hint: 'name another folder: varve init my-project',
  },
  CLI_DEMO_FOLDER: {
    kind: 'conflict',
    summary: '`varve demo --dir` works in a new or an empty folder only.',
    message: (folder: string) => `${folder} is not an empty folder`,
  },
  CLI_DEMO_STEP: {
    kind: 'failed',
    summary: 'A command of the tour did not end as it should. `varve doctor` says what the machine lacks.',
    message: (command: string, ending: string) => `the tour ends here: "${command}" ended with ${ending}`,
    hint: 'look for what is missing with `varve doctor`',
  },
  CLI_INTERRUPTED: {
    kind: 'cancelled',
    summary: 'The user or the system asked the command to stop.',
    message: (signal: string) => `stopped by ${signal}`,
  },
  CLI_OUTPUT_CLOSED: {
    kind: 'cancelled',
    summary: 'The program that read the output, such as head, ended before the command did.',
    message: () => 'the reader of the output has gone',
  },
  CLI_NO_SERVER: {
    kind: 'unsupported',
    summary: 'This command works on this machine only; leave out --server.',
    message: (command: string) => `${command} does not work with --server`,
  },
  ERROR_CODE_UNKNOWN: {
    kind: 'missing',
    summary: 'There is no such error code. `varve errors` lists all of them.',
    message: (code: string) => `there is no error code ${code}`,
    hint: '`varve errors` lists all codes',
  },
  SYSTEM_DENIED: {
    kind: 'denied',
    summary: 'The operating system refuses access to a file or folder. Check its owner and mode.',
    message: (what: string) => `permission denied: ${what}`,
  },
  SYSTEM_MISSING: {
    kind: 'missing',
    summary: 'A file, folder or program does not exist.',
    message: (what: string) => `no such file or folder: ${what}`,
  },
  SYSTEM_FULL: {
    kind: 'exhausted',
    summary:
      'The disk or the quota is full. Free space, or set storage.budget so that Varve keeps within it.',
    message: (what: string) => `no space left: ${what}`,
  },
  SYSTEM_LIMIT: {
    kind: 'exhausted',
    summary: 'A limit of the operating system is reached, such as the number of open files (ulimit -n).',
    message: (what: string) => `a limit of the system is reached: ${what}`,
  },
  SYSTEM_UNAVAILABLE: {
    kind: 'unavailable',
    summary: 'A disk or a network service does not answer.',
    message: (what: string) => `no answer: ${what}`,
  },
  CLI_SERVER_NEEDED: {
    kind: 'invalid',
    summary: 'The command works for a server, which --server or VARVE_SERVER names.',
    message: (command: string) => `varve ${command} needs a server`,
    hint: 'give --server http://127.0.0.1:7433, or set VARVE_SERVER',
  },
});
