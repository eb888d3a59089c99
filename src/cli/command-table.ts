// The table of all commands. A new command is one row in `table/` and one file in `commands/`, named after the command with dashes
// for spaces, that exports `run`.
import type { CommandContext, CommandModule, CommandRows, CommandSpec, Invocation } from './command.ts';
import { datasetCommands } from './table/dataset-commands.ts';
import { firstStepCommands } from './table/first-step-commands.ts';
import { labCommands } from './table/lab-commands.ts';
import { runCommands } from './table/run-commands.ts';
import { serverCommands } from './table/server-commands.ts';
import { setUpCommands } from './table/set-up-commands.ts';
import { storageCommands } from './table/storage-commands.ts';
import { storeCommands } from './table/store-commands.ts';

/** The commands in the order of the help, by topic. */
export const commandTopics: readonly { readonly title: string; readonly rows: CommandRows }[] = [
  { title: 'First steps', rows: firstStepCommands },
  { title: 'Workflows and runs', rows: runCommands },
  { title: 'Datasets', rows: datasetCommands },
  { title: 'Storage budget and history', rows: storageCommands },
  { title: 'Server', rows: serverCommands },
  { title: 'Laboratory', rows: labCommands },
  { title: 'The store', rows: storeCommands },
  { title: 'Set-up and help', rows: setUpCommands },
];

export const commandTable = {
  ...firstStepCommands,
  ...runCommands,
  ...datasetCommands,
  ...storageCommands,
  ...serverCommands,
  ...labCommands,
  ...storeCommands,
  ...setUpCommands,
};

/** What the first word of a two-word command stands for. */
export const commandGroups: Readonly<Record<string, string>> = {
  config: 'look at the configuration',
  store: 'back up, check and move the database',
  datasets: 'look at datasets and decide how long they live',
  lab: 'compare decision algorithms on histories of runs',
  history: 'look at what was computed and reused, and when',
  workers: 'look at the processes that work, and tell them to pause or leave',
  users: 'say who may use the server',
  tokens: 'make and revoke the tokens of users',
  rules: 'say what is always kept, never kept, and how much results may take',
};

export type CommandName = keyof typeof commandTable;

/** The type of the `run` that the file of a command exports. */
export type CommandRun<N extends CommandName> = (
  invocation: Invocation<(typeof commandTable)[N]>,
  context: CommandContext,
) => Promise<number | undefined>;

export const commandNames = Object.keys(commandTable) as CommandName[];

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commandTable, name);
}

/** A command's row, without the narrow literal types. */
export function commandSpec(name: CommandName): CommandSpec {
  return commandTable[name];
}

/** Loads the code of one command; the bundler sees the pattern and makes one lazy part of each file. */
export async function loadCommand(name: CommandName): Promise<CommandModule> {
  return (await import(`./commands/${name.replaceAll(' ', '-')}.ts`)) as CommandModule;
}
