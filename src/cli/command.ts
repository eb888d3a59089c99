// The form of a row in the command table, and what a command receives: typed options and arguments that follow from its row, and a
// context that carries everything from outside.

import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Globals } from './global-options.ts';
import type { Output } from './output.ts';

export type OptionTypeName = 'flag' | 'text' | 'path' | 'choice' | 'integer' | 'bytes' | 'duration';

export interface OptionSpec {
  readonly type: OptionTypeName;
  /** One letter. */
  readonly short?: string;
  /** What stands for the value in the help, when the type does not say it well. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  /** As a user would write it. */
  readonly default?: string;
  /** May be given several times. */
  readonly multiple?: true;
  readonly summary: string;
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes all remaining arguments; only the last one may. */
  readonly variadic?: true;
  readonly choices?: readonly string[];
  /** For shell completion. */
  readonly isPath?: true;
}

export interface ExampleSpec {
  readonly line: string;
  readonly what: string;
}

/** One row: everything about a command except its code, which is in `commands/<name with dashes>.ts`. */
export interface CommandSpec {
  /** One line, without a full stop. */
  readonly summary: string;
  /** Paragraphs below the usage line. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: OptionTable;
  readonly examples: readonly ExampleSpec[];
  /** True for a command that also works through a server, with --server. */
  readonly remote?: true;
  /** Options after the first argument that the row does not know, and everything after `--`, are kept for the document to read. */
  readonly keepsRest?: true;
}

export type CommandRows = Readonly<Record<string, CommandSpec>>;

type Single<O extends OptionSpec> = O extends { type: 'flag' }
  ? boolean
  : O extends { type: 'choice'; choices: readonly (infer C)[] }
    ? C
    : O extends { type: 'integer' | 'bytes' | 'duration' }
      ? number
      : string;

export type OptionValue<O extends OptionSpec> = O extends { multiple: true }
  ? readonly Single<O>[]
  : O extends { type: 'flag' } | { default: string }
    ? Single<O>
    : Single<O> | undefined;

export type OptionValues<T> = T extends OptionTable
  ? { readonly [K in keyof T]: OptionValue<T[K]> }
  : Readonly<Record<never, never>>;

type ArgumentValue<A extends ArgumentSpec> = A extends { variadic: true }
  ? readonly string[]
  : A extends { optional: true }
    ? string | undefined
    : string;

type ArgumentValues<T> = T extends readonly ArgumentSpec[]
  ? { readonly [A in T[number] as A['name']]: ArgumentValue<A> }
  : Readonly<Record<never, never>>;

/** A command line that fits its row: bytes are numbers, durations are milliseconds, paths are as given. */
export interface Invocation<C extends CommandSpec = CommandSpec> {
  readonly options: OptionValues<C['options']>;
  readonly arguments: ArgumentValues<C['arguments']>;
  /** Words that only the document can understand; empty unless the row keeps them. */
  readonly rest: readonly string[];
}

/** What a command may use of the outside world. */
export interface CommandContext {
  readonly environment: Environment;
  readonly globals: Globals;
  /** The home folder, absolute; it need not exist yet. */
  readonly home: string;
  /** Reads the configuration when first asked for it. */
  readonly config: () => Promise<LoadedConfig>;
  readonly output: Output;
  /** Aborts when the user asks to stop, with a VarveError of kind `cancelled` as its reason. */
  readonly signal: AbortSignal;
}

export interface CommandModule {
  /** Resolves with the exit code, or nothing for 0; throws a VarveError for an expected failure. */
  readonly run: (invocation: Invocation, context: CommandContext) => Promise<number | undefined>;
}
