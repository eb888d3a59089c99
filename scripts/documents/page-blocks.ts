// What a reader of a Markdown page would do with it, step by step: files to write and commands to type, in the order of the page.
//
//   ```yaml file=flow.yaml     the reader saves this as flow.yaml
//   ```console                 lines after `$ ` are typed (`> ` goes on), the lines below are what is then seen
//   ```console exit=1          the same; the last command ends with this exit code
//   ```sh                      typed as a whole; must succeed
//   <!-- not run: why -->      before a block: it is shown only
export interface FileStep {
  readonly kind: 'file';
  readonly line: number;
  readonly path: string;
  readonly content: string;
}

export interface CommandStep {
  readonly kind: 'command';
  readonly line: number;
  readonly command: string;
  /** What the page shows below the command; undefined when it shows nothing. */
  readonly expected?: readonly string[];
  readonly exitCode: number;
}

export type PageStep = FileStep | CommandStep;

export interface PageSteps {
  readonly steps: readonly PageStep[];
  /** Blocks of commands that are shown only, each with its reason. */
  readonly notRun: readonly { readonly line: number; readonly reason: string }[];
}

const fence = /^(?<before><!-- not run: (?<reason>.+?) -->\n)?```(?<info>[^\n]*)\n(?<body>[\s\S]*?)^```$/gm;

/** The steps of a page. */
export function pageSteps(markdown: string): PageSteps {
  const steps: PageStep[] = [];
  const notRun: { line: number; reason: string }[] = [];
  for (const match of markdown.matchAll(fence)) {
    const { before = '', reason, info = '', body = '' } = match.groups ?? {};
    const line = markdown.slice(0, match.index + before.length).split('\n').length;
    if (reason !== undefined) notRun.push({ line, reason });
    else steps.push(...blockSteps(info, body, line));
  }
  return { steps, notRun };
}

function blockSteps(info: string, body: string, line: number): PageStep[] {
  const [language = '', ...attributes] = info.trim().split(/\s+/);
  const given = Object.fromEntries(attributes.map((text) => text.split('=', 2) as [string, string]));
  if (given.file !== undefined) return [{ kind: 'file', line, path: given.file, content: body }];
  if (language === 'sh') return [{ kind: 'command', line, command: body, exitCode: 0 }];
  if (language === 'console') return consoleSteps(body, line, Number(given.exit ?? 0));
  return [];
}

function consoleSteps(body: string, line: number, lastExitCode: number): CommandStep[] {
  const typed: { line: number; command: string; expected: string[] }[] = [];
  for (const [index, text] of body.replace(/\n$/, '').split('\n').entries()) {
    const current = typed.at(-1);
    if (text.startsWith('$ ')) {
      typed.push({ line: line + 1 + index, command: text.slice(2), expected: [] });
    } else if (current === undefined) {
      throw new Error(`line ${line + 1 + index}: a console block begins with "$ "`);
    } else if (text.startsWith('> ') && current.expected.length === 0) {
      current.command += `\n${text.slice(2)}`;
    } else {
      current.expected.push(text);
    }
  }
  return typed.map(({ expected, ...rest }, index) => ({
    kind: 'command',
    ...rest,
    ...(expected.length > 0 ? { expected } : {}),
    exitCode: index === typed.length - 1 ? lastExitCode : 0,
  }));
}
