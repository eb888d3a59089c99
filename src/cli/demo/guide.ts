// Leads through the tour: says something, shows a command, runs it as its reader would, waits for Enter.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { packagePath } from '../../assets.ts';
import type { Environment } from '../../config/environment.ts';
import type { Json } from '../../core/json.ts';
import { cliErrors } from '../error-codes.ts';
import type { Output } from '../output.ts';
import { wrapText } from '../terminal/wrap-text.ts';

export interface GuideOptions {
  /** Where the commands are run. */
  readonly folder: string;
  readonly home: string;
  readonly environment: Environment;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Whether to wait for Enter between the steps. */
  readonly waits: boolean;
}

const columns = 90;

export class Guide {
  readonly #options: GuideOptions;

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  /** Begins a part of the tour. */
  title(text: string): void {
    const { print, style } = this.#options.output;
    print(`\n${style.bold(`── ${text} ${'─'.repeat(Math.max(3, columns - text.length - 4))}`)}`);
  }

  say(text: string): void {
    const { print } = this.#options.output;
    print(`\n${wrapText(text, columns).join('\n')}`);
  }

  /** Shows and runs a varve command. */
  async varve(...words: string[]): Promise<void> {
    await this.varveThatEndsWith(0, ...words);
  }

  /** The same, for a command that has bad news. */
  async varveThatEndsWith(exitCode: number, ...words: string[]): Promise<void> {
    const line = ['varve', ...words].join(' ');
    this.#show(line);
    await this.#run(line, process.execPath, [packagePath('bin/varve.mjs'), ...words], { exitCode });
  }

  /** Shows and runs a line of shell. */
  async shell(line: string): Promise<void> {
    this.#show(line);
    await this.#run(line, '/bin/sh', ['-c', line]);
  }

  /** Shows and starts a server, and stops it when the visit is over. */
  async serve(visit: (url: string) => Promise<void>): Promise<void> {
    const words = ['serve', '--listen', '127.0.0.1:0'];
    const line = `varve ${words.join(' ')}`;
    this.#show(line);
    const { folder, signal } = this.#options;
    signal.throwIfAborted();
    const child = spawn(process.execPath, [packagePath('bin/varve.mjs'), ...words], {
      cwd: folder,
      env: this.#childEnvironment(false),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    try {
      const address = new Promise<string>((resolve, reject) => {
        let text = '';
        child.once('error', reject);
        child.stderr.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          const url = /listening at (\S+);/.exec(text)?.[1];
          if (url) resolve(url);
        });
        closed.then((code) => reject(cliErrors.CLI_DEMO_STEP(line, `exit code ${code}: ${text.trim()}`)));
      });
      await visit(await address);
    } finally {
      child.kill('SIGTERM');
      await closed;
    }
  }

  #show(line: string): void {
    const { print, style } = this.#options.output;
    print(`\n${style.cyan(`$ ${line}`)}`);
  }

  /** Asks varve something without showing it. */
  async ask(...words: string[]): Promise<Json> {
    const argv = [packagePath('bin/varve.mjs'), ...words, '--json'];
    return JSON.parse(
      await this.#run(`varve ${words.join(' ')}`, process.execPath, argv, { silently: true }),
    ) as Json;
  }

  async pause(): Promise<void> {
    const { waits, output, signal } = this.#options;
    signal.throwIfAborted();
    // After Control-D nobody is there to press anything.
    if (!waits || process.stdin.readableEnded) return;
    output.print(`\n${output.style.dim('press Enter to go on')}`);
    // Without an output the terminal stays as it is, so that Control-C is a signal as everywhere else.
    const reader = createInterface({ input: process.stdin });
    try {
      await Promise.race(['line', 'close'].map((event) => once(reader, event, { signal })));
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      reader.close();
    }
  }

  #run(
    line: string,
    program: string,
    args: readonly string[],
    { silently = false, exitCode = 0 } = {},
  ): Promise<string> {
    const { folder, output, signal } = this.#options;
    signal.throwIfAborted();
    const child = spawn(program, args, {
      cwd: folder,
      env: this.#childEnvironment(output.style.enabled),
      stdio: ['ignore', silently ? 'pipe' : 'inherit', 'inherit'],
    });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killer) => {
        if (signal.aborted) reject(signal.reason);
        else if (code === exitCode) resolve(text);
        else reject(cliErrors.CLI_DEMO_STEP(line, killer ?? `exit code ${code}`));
      });
    });
  }

  /** The tour's own home, and nothing that the user has set for another one. */
  #childEnvironment(colours: boolean): Record<string, string | undefined> {
    const { environment, home } = this.#options;
    const inherited = Object.entries(environment.variables).filter(([name]) => !name.startsWith('VARVE_'));
    return { ...Object.fromEntries(inherited), VARVE_HOME: home, ...(colours ? { FORCE_COLOR: '1' } : {}) };
  }
}
