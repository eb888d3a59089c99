// Documents that somebody spoiled: those of the conformance suite, each with a few changes of its text or its structure. The same number
// gives the same document, so that what one finds can be looked at again.
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { VarveError } from '../../src/core/errors.ts';
import { loadDocument, urlOfPath } from '../../src/languages/cwl/index.ts';

const suite = resolve(
  process.env.VARVE_CWL_SUITE ?? resolve(import.meta.dirname, '../../../shared/cwl-v1.2'),
  'tests',
);

/** Longest time that checking one document may take, on a machine that is busy with others. */
export const mostMs = 10_000;

export interface Spoiled {
  readonly path: string;
  /** Number and name of what it was made of. */
  readonly what: string;
}

/** Makes documents in a folder in which whatever the suite's documents refer to is found. */
export class Spoiler {
  readonly #folder: string;
  readonly #names: readonly string[];
  readonly #texts = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
    const entries = existsSync(suite) ? readdirSync(suite) : [];
    for (const name of entries) symlinkSync(join(suite, name), join(folder, name));
    this.#names = entries.filter((name) => name.endsWith('.cwl'));
  }

  /** False when the suite is not at hand. */
  get hasSeeds(): boolean {
    return this.#names.length > 0;
  }

  /** Writes the document of this number. */
  spoil(number: number): Spoiled {
    const random = new Random(number);
    const name = random.of(this.#names);
    const path = join(this.#folder, `spoiled-${number}.cwl`);
    writeFileSync(path, spoilt(this.#text(name), path, random));
    return { path, what: `${number} of ${name}` };
  }

  #text(name: string): string {
    let text = this.#texts.get(name);
    if (text === undefined) this.#texts.set(name, (text = readFileSync(join(suite, name), 'utf8')));
    return text;
  }
}

/** Checks a document as `varve validate` does; what is wrong with the way it was refused, or undefined. */
export async function wrongRefusal({ path }: Spoiled): Promise<string | undefined> {
  const started = performance.now();
  try {
    await loadDocument(urlOfPath(path), { checkScripts: true });
  } catch (error) {
    if (!(error instanceof VarveError)) return (error as Error).stack ?? String(error);
    for (const problem of error.problems.length === 0 ? [error] : error.problems) {
      if (problem.kind === 'bug') return `${problem.message} is called a bug`;
      if (problem.message.length > 10_000) return `a message of ${problem.message.length} characters`;
      const { file = '', line = 0, column = 0 } = problem.place ?? {};
      if (file === '' || line < 1 || column < 1) return `"${problem.message.slice(0, 300)}" has no place`;
    }
  }
  const ms = performance.now() - started;
  return ms > mostMs ? `it took ${(ms / 1000).toFixed(1)} s` : undefined;
}

function spoilt(text: string, path: string, random: Random): string | Buffer {
  const changes = 1 + random.below(3);
  if (random.below(2) === 0) {
    let document: unknown;
    try {
      document = parse(text);
    } catch {
      return text;
    }
    for (let i = 0; i < changes; i += 1) changeStructure(document, path, random);
    return random.below(2) === 0 ? JSON.stringify(document) : asYaml(document);
  }
  let bytes: Buffer = Buffer.from(text);
  for (let i = 0; i < changes; i += 1) bytes = changeText(bytes, random);
  return bytes;
}

function asYaml(document: unknown): string {
  try {
    return stringify(document);
  } catch {
    // Too deep for the printer, not for the parser.
    return JSON.stringify(document, null, 1);
  }
}

function changeStructure(root: unknown, path: string, random: Random): void {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || places.length > 5000) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(root);
  if (places.length === 0) return;
  const [holder, key] = random.of(places);
  const [other, otherKey] = random.of(places);
  const change = random.below(8);
  if (change === 0) delete holder[key];
  else if (change === 1) holder[key] = structuredClone(other[otherKey]);
  else if (change === 2) holder[`${key}x`] = holder[key];
  else if (change === 3 && typeof holder[key] === 'string') holder[key] = spoiltName(holder[key], random);
  else if (change === 4) holder[key] = cycle(path, random);
  else if (change === 5) holder[key] = nested(random);
  else holder[key] = structuredClone(random.of(odd));
}

const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  '#',
  'x y',
  '$(',
  '${',
  '$(inputs',
  '${ throw 1 }',
  '%zz',
  'http://[',
  'file:///%zz',
  '\0',
  'x'.repeat(300_000),
  [],
  {},
  [[[]]],
  { class: [] },
  { type: 'array', items: { type: 'array', items: 'array' } },
  { type: 'enum', symbols: [1, null, {}] },
  { type: 'record', fields: { a: { type: 'record', fields: [{}] } } },
  { $graph: 1 },
  { $include: '.' },
  { $import: 'no such.cwl' },
  { __proto__: null, constructor: 'x', toString: 1 },
  JSON.parse('{"__proto__": {"class": "File"}}'),
];

function spoiltName(name: string, random: Random): string {
  const ways = [
    `${name}x`,
    `#${name}`,
    `${name}/x`,
    name.slice(1),
    name.toUpperCase(),
    `${name}#${name}`,
    `../${name}`,
  ];
  return random.of(ways);
}

function cycle(path: string, random: Random): unknown {
  const self = path.slice(path.lastIndexOf('/') + 1);
  return random.of([
    { $import: self },
    [{ $import: self }],
    { $mixin: self },
    self,
    { run: self },
    { run: '#main', in: [], out: [] },
    { class: 'Workflow', inputs: [], outputs: [], steps: { s: { run: self, in: [], out: [] } } },
  ]);
}

function nested(random: Random): unknown {
  let value: unknown = 'string';
  const depth = random.of([20, 300, 1000]);
  const list = random.below(2) === 0;
  for (let i = 0; i < depth; i += 1) value = list ? [value] : { type: 'array', items: value };
  return value;
}

function changeText(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const change = random.below(8);
  if (change === 0) return before;
  if (change === 1) return Buffer.concat([before, after.subarray(random.below(40))]);
  if (change === 2) return Buffer.concat([before, random.bytes(1 + random.below(30)), after]);
  if (change === 3) {
    const line = before.lastIndexOf('\n') + 1;
    const spaces = ' '.repeat(1 + random.below(5));
    return Buffer.concat([before.subarray(0, line), Buffer.from(spaces), bytes.subarray(line)]);
  }
  if (change === 4) return Buffer.concat([before, bytes.subarray(at, at + 200), after]);
  if (change === 5) return Buffer.concat([bytes, Buffer.from(`\n${random.of(tails)()}\n`)]);
  return Buffer.concat([before, Buffer.from(random.of(junk)), after]);
}

const junk = [
  ':',
  '- ',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '&a ',
  '*a',
  '$(',
  '${',
  ')',
  '#',
  '|',
  '<<: ',
  '\t',
  '? ',
  '~',
  '\r',
  '---\n',
  '%YAML 9\n',
  '!!js/function ',
  '!!binary ',
  '\u{FEFF}',
  '\u2028',
];

/** Appended to a document: what is known to bring parsers down. */
const tails: readonly (() => string)[] = [
  () => {
    const lines = ['bomb0: &b0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i += 1) {
      const alias = `*b${i - 1}`;
      lines.push(`bomb${i}: &b${i} [${Array(10).fill(alias).join(', ')}]`);
    }
    return `${lines.join('\n')}\nhints: *b11\ndoc: *b11`;
  },
  () => 'loop: &loop {inner: *loop}',
  () => '<<: &m {<<: *m}',
  () => `deep: ${'['.repeat(20_000)}`,
  () => `deep: ${'{a: '.repeat(5000)}x${'}'.repeat(5000)}`,
  () => Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a${i}:`).join('\n'),
  () => `doc: "${'y'.repeat(500_000)}"`,
  () => `${'- '.repeat(3000)}x`,
  () => `many: {${Array.from({ length: 20_000 }, (_, i) => `k${i}: ${i}`).join(', ')}}`,
  () => Array.from({ length: 3000 }, () => 'same: 1').join('\n'),
];

/** Numbers that follow from the first one (mulberry32). */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}
