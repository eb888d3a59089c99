// Colours, or none: decided once from the --color option, the environment and the stream.
import { styleText } from 'node:util';
import { type Environment, variable } from '../../config/environment.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

type Paint = (text: string) => string;

export interface Style {
  readonly enabled: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly cyan: Paint;
}

/** Whether to colour: the option first, then NO_COLOR, FORCE_COLOR and a dumb terminal, then whether it is a terminal. */
export function wantsColor(choice: ColorChoice, environment: Environment, isTerminal: boolean): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (variable(environment, 'NO_COLOR') !== undefined) return false;
  const force = variable(environment, 'FORCE_COLOR');
  if (force !== undefined) return force !== '0';
  return isTerminal && variable(environment, 'TERM') !== 'dumb';
}

/** Functions that colour text, or leave it as it is. */
export function createStyle(enabled: boolean): Style {
  const paint =
    (format: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      enabled ? styleText(format, text, { validateStream: false }) : text;
  return {
    enabled,
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    blue: paint('blue'),
    cyan: paint('cyan'),
  };
}

/** Whether the terminal can show more than ASCII, from the usual locale variables. */
export function knowsUnicode(environment: Environment): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG'].map((name) => variable(environment, name)).find(Boolean);
  return environment.platform !== 'linux' || /utf-?8/i.test(locale ?? '');
}
