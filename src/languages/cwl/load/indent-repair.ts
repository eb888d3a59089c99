// Brackets and quoted texts whose further lines are not indented enough: the parsers that documents were written with take them, so
// documents rely on it. Such lines get more spaces in front, which changes no value, and offsets are led back to the original text.

/** Enough for any document that people write. */
const padding = ' '.repeat(96);

/** Characters that may be looked at for the repairs of one document: a broken text has as many problems as brackets. */
const mostEffort = 20_000_000;

/** What is left of it. */
interface Effort {
  left: number;
}

export class IndentRepair {
  private readonly effort: Effort = { left: mostEffort };
  private readonly original: string;
  private readonly lineStarts: readonly number[];
  private readonly padded = new Set<number>();
  private paddedStarts: readonly number[] | undefined;

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
    this.paddedStarts ??= [...this.padded].sort((a, b) => a - b).map((line) => this.lineStarts[line]!);
    const starts = this.paddedStarts;
    // The last padded line that starts before it.
    let [low, high] = [-1, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! + middle * padding.length <= offset) low = middle;
      else high = middle - 1;
    }
    return low < 0 ? offset : Math.max(starts[low]!, offset - (low + 1) * padding.length);
  }

  /** Repairs what a parser said about an offset in the original; false when there is nothing to repair. */
  repair(message: string, offset: number): boolean {
    if (this.effort.left < 0) return false;
    const quote = /Missing closing (["'])/.exec(message)?.[1];
    if (quote !== undefined) return this.pad(quotedRange(this.original, offset, quote, this.effort));
    if (!message.includes('must be sufficiently indented')) return false;
    return this.pad(flowRange(this.original, offset, this.effort));
  }

  private pad(range: readonly [number, number] | undefined): boolean {
    if (range === undefined) return false;
    const before = this.padded.size;
    for (const [line, start] of this.lineStarts.entries())
      if (start > range[0] && start <= range[1]) this.padded.add(line);
    this.paddedStarts = undefined;
    return this.padded.size > before;
  }
}

/** The bracket around an offset. */
function flowRange(text: string, offset: number, effort: Effort): [number, number] | undefined {
  let start = offset + 1;
  for (let tries = 0; tries < 100 && effort.left > 0; tries += 1) {
    start = Math.max(text.lastIndexOf('[', start - 1), text.lastIndexOf('{', start - 1));
    if (start < 0) return undefined;
    const end = endOfFlow(text, start);
    effort.left -= (end ?? text.length) - start;
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
function quotedRange(
  text: string,
  offset: number,
  quote: string,
  effort: Effort,
): [number, number] | undefined {
  const opening = new RegExp(`(?:[:?,[{-]\\s+|[[{,]|^\\s*)${quote}`, 'gm');
  let start: number | undefined;
  effort.left -= offset;
  for (const match of text.slice(0, offset + 1).matchAll(opening)) {
    if (effort.left < 0) return undefined;
    const at = match.index + match[0].length - 1;
    const end = endOfQuoted(text, at, quote);
    effort.left -= (end ?? text.length) - at;
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
