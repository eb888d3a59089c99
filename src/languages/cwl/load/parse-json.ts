// JSON texts to source nodes, directly: packed documents and input objects are often JSON and large, and the general YAML parser takes
// ten times as long. Gives up on anything unusual, which the YAML parser then reads or explains.
import type { Source, SourceEntry, SourceNode, SourceScalar } from './source-node.ts';

/** The root node, or undefined when the text is not plain JSON. */
export function parseJsonSource(source: Source): SourceNode | undefined {
  const reader = new JsonReader(source);
  try {
    return reader.whole();
  } catch (error) {
    if (error instanceof NotJson || error instanceof RangeError) return undefined;
    throw error;
  }
}

class NotJson extends Error {}

/** Deeper than any document; everything that walks a document recurses. */
export const maxDepth = 300;

const space = /[ \t\r\n]*/y;
const plainString = /"([^"\\\p{Cc}]*)"/uy;
const anyString = /"(?:[^"\\\p{Cc}]|\\.)*"/uy;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

class JsonReader {
  private readonly source: Source;
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(source: Source) {
    this.source = source;
    this.text = source.text;
  }

  whole(): SourceNode {
    this.skipSpace();
    const first = this.text[this.at];
    if (first !== '{' && first !== '[') throw new NotJson();
    const root = this.value();
    this.skipSpace();
    if (this.at !== this.text.length) throw new NotJson();
    return root;
  }

  private value(): SourceNode {
    const offset = this.at;
    const first = this.text[offset];
    if (first === '{' || first === '[') {
      this.depth += 1;
      if (this.depth > maxDepth) throw new NotJson();
      const node = first === '{' ? this.map(offset) : this.list(offset);
      this.depth -= 1;
      return node;
    }
    if (first === '"') return this.scalar(this.string(), offset);
    const named = this.match(word);
    if (named !== undefined) return this.scalar(words[named]!, offset);
    const digits = this.match(number);
    if (digits === undefined) throw new NotJson();
    return this.scalar(Number(digits), offset);
  }

  private map(offset: number): SourceNode {
    const entries = new Map<string, SourceEntry>();
    this.at += 1;
    this.skipSpace();
    if (!this.take('}')) {
      do {
        this.skipSpace();
        const keyOffset = this.at;
        const key = this.string();
        // Repeated and merge keys are for the other parser to judge.
        if (entries.has(key) || key === '<<') throw new NotJson();
        this.skipSpace();
        if (!this.take(':')) throw new NotJson();
        this.skipSpace();
        entries.set(key, { keyOffset, value: this.value() });
        this.skipSpace();
      } while (this.take(','));
      if (!this.take('}')) throw new NotJson();
    }
    return { kind: 'map', entries, source: this.source, offset };
  }

  private list(offset: number): SourceNode {
    const items: SourceNode[] = [];
    this.at += 1;
    this.skipSpace();
    if (!this.take(']')) {
      do {
        this.skipSpace();
        items.push(this.value());
        this.skipSpace();
      } while (this.take(','));
      if (!this.take(']')) throw new NotJson();
    }
    return { kind: 'list', items, source: this.source, offset };
  }

  private string(): string {
    plainString.lastIndex = this.at;
    const plain = plainString.exec(this.text);
    if (plain !== null) {
      this.at = plainString.lastIndex;
      return plain[1]!;
    }
    const escaped = this.match(anyString);
    if (escaped === undefined) throw new NotJson();
    try {
      return JSON.parse(escaped) as string;
    } catch {
      throw new NotJson();
    }
  }

  private scalar(value: SourceScalar['value'], offset: number): SourceNode {
    return { kind: 'scalar', value, source: this.source, offset };
  }

  private skipSpace(): void {
    space.lastIndex = this.at;
    space.exec(this.text);
    this.at = space.lastIndex;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found[0];
  }
}
