// The kinds of values that a configuration key can have: how each is read from text, what to say when it is wrong, and how it
// is shown. A value arrives as text (environment, flags, YAML scalars) or as a list of texts (YAML sequences).
import { resolve } from 'node:path';
import {
  formatBytes,
  formatDuration,
  formatPercent,
  parseBytes,
  parseDuration,
  parsePercent,
} from '../core/units.ts';

/** An absolute amount, or a share of a whole that only the place of use knows. */
export type Quantity = { readonly bytes: number } | { readonly fraction: number };

export interface ValueTypes {
  text: string;
  path: string;
  'store-url': string;
  'web-url': string;
  integer: number;
  bytes: number;
  /** Never shown. */
  secret: string;
  'bytes-or-percent': Quantity;
  percent: number;
  duration: number;
  choice: string;
  /** Several texts; one text has commas between them. */
  texts: readonly string[];
  paths: readonly string[];
  'listen-address': ListenAddress;
}

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

export type ValueTypeName = keyof ValueTypes;
export type RawValue = string | readonly string[];

/** What reading a value may depend on. */
export interface ReadContext {
  /** Absolute; relative paths start here. */
  readonly baseFolder: string;
  readonly expandUser: (path: string) => string;
  readonly choices?: readonly string[] | undefined;
  readonly min?: number | undefined;
}

interface ValueType<T> {
  /** Completes "expected …". */
  readonly expected: (context: Pick<ReadContext, 'choices' | 'min'>) => string;
  readonly read: (text: string, context: ReadContext) => T | undefined;
  /** For a type that has several values: reads a list of the file. */
  readonly readList?: (texts: readonly string[], context: ReadContext) => T | undefined;
  readonly show: (value: T) => string;
}

const pathFrom = (text: string, context: ReadContext): string =>
  resolve(context.baseFolder, context.expandUser(text));

const same = (value: string): string => value;

export const valueTypes: { readonly [K in ValueTypeName]: ValueType<ValueTypes[K]> } = {
  text: { expected: () => 'a text', read: (text) => text || undefined, show: same },
  path: { expected: () => 'a path', read: (text, c) => (text ? pathFrom(text, c) : undefined), show: same },
  'store-url': {
    expected: () => 'sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    read: (text, context) => {
      const path = /^sqlite:(.+)$/.exec(text)?.[1];
      if (path !== undefined) return `sqlite:${pathFrom(path, context)}`;
      return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined;
    },
    show: (value) => (value.startsWith('sqlite:') ? value : withoutPassword(value)),
  },
  'web-url': {
    expected: () => 'an address such as https://varve.example.org',
    read: (text) => (/^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/$/, '') : undefined),
    show: same,
  },
  integer: {
    expected: ({ min }) => (min === undefined ? 'a whole number' : `a whole number, at least ${min}`),
    read: (text, { min }) => {
      const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(value) && value >= (min ?? -Infinity) ? value : undefined;
    },
    show: String,
  },
  bytes: {
    expected: () => 'a size such as 20GB or 512MiB',
    read: (text) => parseBytes(text),
    show: formatBytes,
  },
  secret: { expected: () => 'a text', read: (text) => text || undefined, show: () => '***' },
  'bytes-or-percent': {
    expected: () => 'a size such as 20GB or 512MiB, or a share such as 80%',
    read: (text) => {
      const fraction = parsePercent(text);
      if (fraction !== undefined) return { fraction };
      const bytes = parseBytes(text);
      return bytes === undefined ? undefined : { bytes };
    },
    show: (value) => ('bytes' in value ? formatBytes(value.bytes) : formatPercent(value.fraction)),
  },
  percent: { expected: () => 'a share such as 80%', read: (text) => parsePercent(text), show: formatPercent },
  duration: {
    expected: () => 'a duration such as 30s, 5m, 1h30m or 7d',
    read: (text) => parseDuration(text),
    show: formatDuration,
  },
  choice: {
    expected: ({ choices = [] }) => `one of ${choices.join(', ')}`,
    read: (text, { choices = [] }) => choices.find((choice) => choice === text),
    show: same,
  },
  texts: {
    expected: ({ choices }) =>
      choices
        ? `some of ${choices.join(', ')}, with commas between them`
        : 'a list, with commas between its parts',
    read: (text, context) => readTexts(text.split(','), context),
    readList: readTexts,
    show: (value) => value.join(','),
  },
  paths: {
    expected: () => 'a list of paths, with commas between them',
    read: (text, context) => readPaths(text.split(','), context),
    readList: readPaths,
    show: (value) => value.join(','),
  },
  'listen-address': {
    expected: () => 'HOST:PORT, such as 127.0.0.1:7433 or [::1]:7433',
    read: (text) => {
      const [, v6, v4, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
      const port = Number(digits);
      const host = v6 ?? v4;
      return host !== undefined && port <= 65_535 ? { host, port } : undefined;
    },
    show: ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
  },
};

function readTexts(texts: readonly string[], { choices }: ReadContext): readonly string[] | undefined {
  const found = texts.map((text) => text.trim()).filter((text) => text !== '');
  return choices === undefined || found.every((text) => choices.includes(text)) ? found : undefined;
}

function readPaths(texts: readonly string[], context: ReadContext): readonly string[] {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => pathFrom(text, context));
}

/** A quantity in bytes, given the whole that a share refers to. */
export function quantityBytes(quantity: Quantity, wholeBytes: number): number {
  return 'bytes' in quantity ? quantity.bytes : Math.floor(quantity.fraction * wholeBytes);
}

/** A URL fit for logs and terminals. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password) parsed.password = '***';
  return parsed.href;
}
