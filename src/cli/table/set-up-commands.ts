// Rows of the commands that help to set Varve up and to understand it.
import type { CommandRows } from '../command.ts';

export const setUpCommands = {
  doctor: {
    summary: 'check that this machine has what Varve needs',
    description:
      'Looks at Node, the home folder, free space, the configuration, the store, the compiler, git and container programs, and says what is missing and what that costs. Ends with an error only when Varve cannot work.',
    examples: [{ line: 'varve doctor', what: 'after installing' }],
  },
  'config show': {
    summary: 'print every setting, its value and where it came from',
    options: {
      changed: { type: 'flag', summary: 'only settings that differ from their default' },
    },
    examples: [
      { line: 'varve config show', what: 'what is in force, and why' },
      { line: 'varve config show --changed --json', what: 'for a script' },
    ],
  },
  'config path': {
    summary: 'print the path of the configuration file',
    examples: [{ line: 'nano "$(varve config path)"', what: 'edit it' }],
  },
  'config keys': {
    summary: 'list all configuration keys with their defaults and variables',
    arguments: [{ name: 'prefix', summary: 'only keys that begin with it, such as storage', optional: true }],
    examples: [{ line: 'varve config keys storage', what: 'what can be set about storage' }],
  },
  errors: {
    summary: 'explain an error code, or list all of them',
    arguments: [{ name: 'code', summary: 'the word in brackets behind an error message', optional: true }],
    examples: [{ line: 'varve errors CONFIG_VALUE', what: 'what the code means and what to do' }],
  },
  completion: {
    summary: 'print a script that completes varve commands in your shell',
    arguments: [{ name: 'shell', summary: 'your shell', choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      { line: 'varve completion bash > ~/.local/share/bash-completion/completions/varve', what: 'bash' },
      { line: 'varve completion zsh > ~/.zfunc/_varve', what: 'zsh, with ~/.zfunc in fpath' },
      { line: 'varve completion fish > ~/.config/fish/completions/varve.fish', what: 'fish' },
    ],
  },
  help: {
    summary: 'explain a command',
    arguments: [
      { name: 'command', summary: 'its name; all commands without it', optional: true, variadic: true },
    ],
    examples: [{ line: 'varve help config show', what: 'the same as varve config show --help' }],
  },
  version: {
    summary: 'print the version of Varve and of Node',
    examples: [{ line: 'varve version', what: 'for a bug report' }],
  },
} as const satisfies CommandRows;
