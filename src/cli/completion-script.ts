// Completion scripts for shells, from the command table. Each script first finds out which command the words so far name,
// then offers its words, its options, or the values of the option before the cursor.
import type { OptionTable } from './command.ts';
import { commandGroups, commandNames, commandSpec, commandTable } from './command-table.ts';
import { globalOptions } from './global-options.ts';

export type Shell = keyof typeof scripts;

interface Candidate {
  readonly word: string;
  readonly text: string;
}

interface Place {
  /** Empty, a group or a command. */
  readonly path: string;
  /** What may follow as a word; empty means files. */
  readonly words: readonly Candidate[];
  readonly options: readonly Candidate[];
}

/** An option that takes a value, of one command or (undefined) of all. */
interface ValueOption {
  readonly path: string | undefined;
  readonly option: string;
  /** Empty means files. */
  readonly choices: readonly string[];
}

/** The script that teaches a shell the commands of varve. */
export function completionScript(shell: Shell): string {
  return scripts[shell](places(), valueOptions());
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

function places(): Place[] {
  const top = new Map<string, string>();
  for (const name of commandNames) {
    const first = name.split(' ')[0]!;
    top.set(first, commandGroups[first] ?? commandSpec(name).summary);
  }
  const root: Place = {
    path: '',
    words: [...top].map(([word, text]) => ({ word, text })),
    options: candidates(globalOptions),
  };
  const groups = Object.keys(commandGroups).map((path): Place => {
    const members = commandNames.filter((name) => name.startsWith(`${path} `));
    const words = members.map((name) => ({
      word: name.slice(path.length + 1),
      text: commandSpec(name).summary,
    }));
    return { path, words, options: candidates(globalOptions) };
  });
  const commands = commandNames.map((path): Place => {
    const { arguments: args = [], options = {} } = commandSpec(path);
    const words = args.flatMap((argument) => argument.choices ?? []).map((word) => ({ word, text: word }));
    return { path, words, options: candidates({ ...options, ...globalOptions }) };
  });
  return [root, ...groups, ...commands];
}

function candidates(table: OptionTable): Candidate[] {
  return Object.entries(table).map(([name, spec]) => ({ word: `--${name}`, text: spec.summary }));
}

function valueOptions(): ValueOption[] {
  const of = (path: string | undefined, table: OptionTable): ValueOption[] =>
    Object.entries(table)
      .filter(([, spec]) => spec.type !== 'flag')
      .map(([name, spec]) => ({ path, option: `--${name}`, choices: spec.choices ?? [] }));
  return [
    ...of(undefined, globalOptions),
    ...commandNames.flatMap((name) => of(name, commandSpec(name).options ?? {})),
  ];
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const wordList = (words: readonly Candidate[]): string => words.map(({ word }) => word).join(' ');
const knownPaths = (): string[] => [...Object.keys(commandGroups), ...Object.keys(commandTable)];

function uniqueOptions(options: readonly ValueOption[]): string[] {
  return [...new Set(options.map(({ option }) => option))];
}

function bashScript(all: readonly Place[], options: readonly ValueOption[]): string {
  const values = options.map(({ path, option, choices }) => {
    const pattern = `${path === undefined ? '*' : quote(path)}${quote(`|${option}`)}`;
    return `    ${pattern}) COMPREPLY=(${choices.length > 0 ? `$(compgen -W ${quote(choices.join(' '))} -- "$cur")` : ''}); return ;;`;
  });
  return `# bash completion for varve
_varve() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= word= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${uniqueOptions(options).join('|')}) i=$((i + 1)); continue ;;
      -*) continue ;;
    esac
    case "\${path:+$path }$word" in
      ${knownPaths().map(quote).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path|$prev" in
${values.join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $path in
${all.map(({ path, options: list }) => `      ${quote(path)}) words=${quote(wordList(list))} ;;`).join('\n')}
    esac
  else
    case $path in
${all.map(({ path, words }) => `      ${quote(path)}) words=${quote(wordList(words))} ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _varve varve`;
}

function zshScript(all: readonly Place[], options: readonly ValueOption[]): string {
  const describe = (list: readonly Candidate[]): string =>
    list.map(({ word, text }) => quote(`${word.replaceAll(':', '\\:')}:${text}`)).join(' ');
  const values = options.map(({ path, option, choices }) => {
    const pattern = `${path === undefined ? '*' : quote(path)}${quote(`|${option}`)}`;
    return `    (${pattern}) ${choices.length > 0 ? `compadd -- ${choices.join(' ')}` : '_files'}; return ;;`;
  });
  return `#compdef varve
_varve() {
  local command= word=
  local -i i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
      (${uniqueOptions(options).join('|')}) ((i++)); continue ;;
      (-*) continue ;;
    esac
    case "\${command:+$command }$word" in
      (${knownPaths().map(quote).join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command|\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case $command in
${all.map(({ path, options: list }) => `      (${quote(path)}) found=(${describe(list)}) ;;`).join('\n')}
    esac
  else
    case $command in
${all.map(({ path, words }) => `      (${quote(path)}) found=(${describe(words)}) ;;`).join('\n')}
    esac
  fi
  if ((\${#found})); then _describe varve found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _varve "$@"; else compdef _varve varve; fi`;
}

function fishScript(all: readonly Place[], options: readonly ValueOption[]): string {
  const at = (path: string): string => `-n ${quote(`test "$(__varve_command)" = "${path}"`)}`;
  const line = (path: string, rest: string): string => `complete -c varve ${at(path)} ${rest}`;
  const takesValue = (path: string, option: string): ValueOption | undefined =>
    options.find((one) => one.option === option && (one.path === path || one.path === undefined));
  const lines = all.flatMap(({ path, words, options: list }) => [
    ...words.map(({ word, text }) => line(path, `-f -a ${quote(word)} -d ${quote(text)}`)),
    ...list.map(({ word, text }) => {
      const value = takesValue(path, word);
      const kind = value && (value.choices.length > 0 ? ` -x -a ${quote(value.choices.join(' '))}` : ' -r');
      return line(path, `-l ${word.slice(2)} -d ${quote(text)}${kind ?? ''}`);
    }),
  ]);
  return `# fish completion for varve
function __varve_command
    set -l command
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${uniqueOptions(options).map(quote).join(' ')}
                set skip 1
                continue
            case '-*'
                continue
        end
        switch (string join ' ' $command $word)
            case ${knownPaths().map(quote).join(' ')}
                set -a command $word
        end
    end
    string join ' ' -- $command
end
${lines.join('\n')}`;
}
