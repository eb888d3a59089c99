// The options that every command accepts, before or after its name.
import type { OptionTable, OptionValues } from './command.ts';

export const globalOptions = {
  home: {
    type: 'path',
    summary:
      "folder of the store, the datasets and varve.yaml (else VARVE_HOME, else the platform's data folder)",
  },
  config: {
    type: 'path',
    summary: 'configuration file (else VARVE_CONFIG, else varve.yaml in the home folder)',
  },
  set: {
    type: 'text',
    placeholder: 'KEY=VALUE',
    multiple: true,
    summary: 'set a configuration key; see `varve config keys`',
  },
  server: { type: 'text', placeholder: 'URL', summary: 'talk to a Varve server instead of the store' },
  json: { type: 'flag', summary: 'print the result as one JSON value' },
  quiet: { type: 'flag', short: 'q', summary: 'print results and errors only' },
  color: {
    type: 'choice',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    summary: 'colours; auto obeys NO_COLOR and whether a terminal is there',
  },
  help: { type: 'flag', short: 'h', summary: 'explain the command and end' },
  version: { type: 'flag', short: 'V', summary: 'print the version and end' },
} as const satisfies OptionTable;

export type Globals = OptionValues<typeof globalOptions>;
