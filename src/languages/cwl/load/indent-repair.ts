// Brackets and quoted texts whose further lines are not indented enough: the parsers that documents were written with take them, so
// documents rely on it. Such lines get more spaces in front, which changes no value, and offsets are led back to the original text.

/** Enough for any document that people write. */
const padding = ' '.repeat(96);

export class IndentRepair {
  private readonly original: string;
  private readonly lineStarts: readonly number[];
  private readonly padded = new Set<number>();

  constructor(original: string) {
    this.original = original;
    const starts = [0];
    for (let at = original.indexOf('\n'); at >= 0; at = original.indexOf('\n', at + 1)) starts.push(at + 1);
    this.lineStarts = starts;
  }

  /** The text to parse. */
  get text(): string {
    if (this.padded.size === 0) return this.original;
    return this.original
      .split('\n')
      .map((line, index) => (this.padded.has(index) ? padding + line : line))
      .join('\n');
  }

  /** Where an offset in `text` is in the original. */
  offset(offset: number): number {
    let left = offset;
    for (const line of [...this.padded].sort((a, b) => a - b)) {
      const start = this.lineStarts[line]!;
      if (left < start) break;
      left = Math.max(start, left - padding.length);
    }
    return left;
  }

  /** Repairs what a parser said about an offset in the original; false when there is nothing to repair. */
  repair(message: string, offset: number): boolean {
    const quote = /Missing closing (["'])/.exec(message)?.[1];
    if (quote !== undefined) return this.pad(quotedRange(this.original, offset, quote));
    return message.includes('must be sufficiently indented') && this.pad(flowRange(this.original, offset));
  }

  private pad(range: readonly [number, number] | undefined): boolean {
    if (range === undefined) return false;
    const before = this.padded.size;
    for (const [line, start] of this.lineStarts.entries())
      if (start > range[0] && start <= range[1]) this.padded.add(line);
    return this.padded.size > before;
  }
}

/** The bracket around an offset. */
function flowRange(text: string, offset: number): [number, number] | undefined {
  let start = offset + 1;
  for (let tries = 0; tries < 100; tries += 1) {
    start = Math.max(text.lastIndexOf('[', start - 1), text.lastIndexOf('{', start - 1));
    if (start < 0) return undefined;
    const end = endOfFlow(text, start);
    if (end !== undefined && end > offset) return [start, end];
    if (start === 0) return undefined;
  }
  return undefined;
}

function endOfFlow(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"' || character === "'") {
      const end = endOfQuoted(text, at, character);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (character === '#' && /\s/.test(text[at - 1] ?? ' ')) {
      const line = text.indexOf('\n', at);
      if (line < 0) return undefined;
      at = line;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The quoted text that starts as a value before an offset and ends behind it. */
function quotedRange(text: string, offset: number, quote: string): [number, number] | undefined {
  const opening = new RegExp(`(?:[:?,[{-]\\s+|[[{,]|^\\s*)${quote}`, 'gm');
  let start: number | undefined;
  for (const match of text.slice(0, offset + 1).matchAll(opening)) {
    const at = match.index + match[0].length - 1;
    const end = endOfQuoted(text, at, quote);
    if (end !== undefined && end > offset) {
      start = at;
      break;
    }
  }
  return start === undefined ? undefined : [start, endOfQuoted(text, start, quote)!];
}

function endOfQuoted(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== "'") return at + 1;
      at += 1;
    }
  }
  return undefined;
}
