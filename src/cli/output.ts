// What a command says: results on stdout, everything else on stderr. Once the reader of stdout has gone, nothing more is written.

import type { Environment } from '../config/environment.ts';
import type { Json } from '../core/json.ts';
import type { Globals } from './global-options.ts';
import { createStyle, type Style, wantsColor } from './terminal/style.ts';

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Colours for stdout. */
  readonly style: Style;
  /** Colours for stderr. */
  readonly noteStyle: Style;
  /** Width for tables; wide when stdout is no terminal. */
  readonly columns: () => number;
  /** Writes lines to stdout. */
  print(text: string): void;
  /** Writes bytes to stdout as they are. */
  write(bytes: Uint8Array): void;
  /** Writes the value with --json, else the text. */
  result(value: Json, text: () => string): void;
  /** Says something in passing, on stderr; not with --quiet. */
  note(text: string): void;
  warn(text: string): void;
  /** Writes lines to stderr, also with --quiet. */
  say(text: string): void;
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export type OutputSettings = Pick<Globals, 'json' | 'quiet' | 'color'>;

/** The output of one invocation. */
export function createOutput(
  streams: OutputStreams,
  settings: OutputSettings,
  environment: Environment,
): Output {
  const { stdout, stderr } = streams;
  const styleFor = (stream: NodeJS.WriteStream): Style =>
    createStyle(wantsColor(settings.color, environment, stream.isTTY === true));
  const noteStyle = styleFor(stderr);
  const print = (text: string): void => {
    if (stdout.writable) stdout.write(`${text}\n`);
  };
  return {
    json: settings.json,
    quiet: settings.quiet,
    style: styleFor(stdout),
    noteStyle,
    columns: () => (stdout.isTTY ? stdout.columns || 80 : 200),
    print,
    write: (bytes) => {
      if (stdout.writable) stdout.write(bytes);
    },
    result: (value, text) => print(settings.json ? JSON.stringify(value, null, 2) : text()),
    note: (text) => {
      if (!settings.quiet) stderr.write(`${text}\n`);
    },
    say: (text) => {
      stderr.write(`${text}\n`);
    },
    warn: (text) => stderr.write(`varve: ${noteStyle.yellow('warning')}: ${text}\n`) && undefined,
  };
}
