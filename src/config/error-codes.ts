// What can be wrong with the configuration.
import { defineErrors } from '../core/errors.ts';

export const configErrors = defineErrors({
  CONFIG_INVALID: {
    kind: 'invalid',
    summary: 'Several settings are wrong; each is listed below the message with its place.',
    message: (count: number) => `the configuration has ${count} problems`,
  },
  CONFIG_FILE_MISSING: {
    kind: 'missing',
    summary: 'The file given by --config or VARVE_CONFIG does not exist.',
    message: (file: string) => `there is no configuration file ${file}`,
  },
  CONFIG_FILE_UNREADABLE: {
    kind: 'unavailable',
    summary: 'The configuration file exists but cannot be read, or is too large to be one.',
    message: (file: string, reason: string) => `cannot read ${file}: ${reason}`,
  },
  CONFIG_SYNTAX: {
    kind: 'invalid',
    summary: 'The configuration file is not the plain YAML that is expected.',
    message: (reason: string) => reason,
  },
  CONFIG_UNKNOWN_KEY: {
    kind: 'invalid',
    summary: 'There is no such configuration key. `varve config keys` lists all of them.',
    message: (key: string) => `unknown configuration key ${key}`,
    hint: '`varve config keys` lists all keys',
  },
  CONFIG_MISPLACED_KEY: {
    kind: 'invalid',
    summary: 'This key decides where the configuration file is, so it cannot stand in the file.',
    message: (key: string, name: string) => `${key} cannot be set in the file; use --${key} or ${name}`,
  },
  CONFIG_VALUE: {
    kind: 'invalid',
    summary: 'The value of a configuration key has the wrong form.',
    message: (key: string, value: string, expected: string) => `${key}: expected ${expected}, found ${value}`,
  },
  CONFIG_SET_SYNTAX: {
    kind: 'invalid',
    summary: 'A --set option is not of the form KEY=VALUE.',
    message: (text: string) => `--set ${text}: expected KEY=VALUE, for instance --set execution.cores=4`,
  },
  CONFIG_WATERMARKS: {
    kind: 'invalid',
    summary: 'The low watermark of the storage must not be above the high one.',
    message: (low: string, high: string) =>
      `storage.lowWatermark (${low}) is above storage.highWatermark (${high})`,
  },
});
