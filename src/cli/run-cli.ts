// Runs one command line in this process, from words to exit code. What a single command needs is loaded only when it runs.

import { type Environment, readEnvironment } from '../config/environment.ts';
import { homeFolder } from '../config/home-folder.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { errorKinds } from '../core/errors.ts';
import type { CommandContext } from './command.ts';
import { commandSpec, loadCommand } from './command-table.ts';
import { cliErrors } from './error-codes.ts';
import { globalOptions } from './global-options.ts';
import { type Interruption, watchInterruption } from './interruption.ts';
import { createOutput, type Output, type OutputSettings } from './output.ts';
import { type CommandLine, parseCommandLine } from './parse-command-line.ts';

const colorChoices = globalOptions.color.choices;

/** Runs the command line, and ends the process with the exit code once everything is written. */
export async function runCli(argv: readonly string[]): Promise<never> {
  const environment = readEnvironment();
  const interruption = watchInterruption(process);
  let failing = false;
  const fail = async (error: unknown): Promise<never> => {
    // An error while reporting an error must not begin again.
    if (failing) process.exit(errorKinds.bug.exitCode);
    failing = true;
    return end(await explain(error, argv, environment, interruption));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  try {
    const line = parseCommandLine(argv);
    return await end(await execute(line, environment, interruption.signal));
  } catch (error) {
    return await fail(error);
  }
}

async function execute(line: CommandLine, environment: Environment, signal: AbortSignal): Promise<number> {
  if (line.kind === 'version') {
    const { version } = await import('../version.ts');
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const output = createOutput(process, line.globals, environment);
  if (line.kind === 'help') {
    const { helpText } = await import('./help-text.ts');
    output.print(helpText(line.about, output.style, output.columns()));
    return 0;
  }
  if (line.globals.server !== undefined && !commandSpec(line.name).remote) {
    throw cliErrors.CLI_NO_SERVER(line.name);
  }
  const { run } = await loadCommand(line.name);
  return (await run(line.invocation, createContext(line, environment, output, signal))) ?? 0;
}

function createContext(
  { globals }: Extract<CommandLine, { kind: 'run' }>,
  environment: Environment,
  output: Output,
  signal: AbortSignal,
): CommandContext {
  let loaded: Promise<LoadedConfig> | undefined;
  const load = async (): Promise<LoadedConfig> => {
    const { loadConfig } = await import('../config/load-config.ts');
    const result = await loadConfig(environment, globals);
    for (const warning of result.warnings) output.warn(warning);
    return result;
  };
  return {
    environment,
    globals,
    home: homeFolder(environment, globals.home),
    config: () => (loaded ??= load()),
    output,
    signal,
  };
}

async function explain(
  error: unknown,
  argv: readonly string[],
  environment: Environment,
  interruption: Interruption,
): Promise<number> {
  const { reportError } = await import('./report-error.ts');
  const stopped = interruption.signal.aborted && error === interruption.signal.reason;
  const settings: OutputSettings = {
    json: argv.includes('--json'),
    quiet: false,
    color: colorChoices.find((choice) => choice === roughOption(argv, 'color')) ?? 'auto',
  };
  const exitCode = reportError(error, {
    argv,
    environment,
    home: homeFolder(environment, roughOption(argv, 'home')),
    json: settings.json,
    style: createOutput(process, settings, environment).noteStyle,
    write: (text) => process.stderr.write(text),
  });
  return (stopped ? interruption.exitCode() : undefined) ?? exitCode;
}

/** An option's value, also when the command line as a whole could not be understood. */
function roughOption(argv: readonly string[], name: string): string | undefined {
  const index = argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const word = argv[index];
  return word === `--${name}` ? argv[index + 1] : word?.slice(name.length + 3);
}

async function end(exitCode: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  process.exit(exitCode);
}
