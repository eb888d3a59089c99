// Finds where a piece of JavaScript that starts with a bracket ends: brackets are counted, and those inside strings, comments and
// regular expressions are not.

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The offset just behind the bracket that closes the one at `start`, or undefined when the text ends first. */
export function endOfScript(text: string, start: number): number | undefined {
  const open: string[] = [];
  let significant = '';
  for (let at = start; at < text.length; ) {
    const character = text[at]!;
    const next = text[at + 1];
    if (character === '"' || character === "'" || character === '`') {
      at = endOfString(text, at);
      significant = character;
    } else if (character === '/' && next === '/') {
      const line = text.indexOf('\n', at);
      at = line < 0 ? text.length : line;
    } else if (character === '/' && next === '*') {
      const end = text.indexOf('*/', at + 2);
      at = end < 0 ? text.length : end + 2;
    } else if (character === '/' && startsRegularExpression(text, at, significant)) {
      at = endOfRegularExpression(text, at);
      significant = '/';
    } else {
      const closer = closers[character];
      if (closer !== undefined) open.push(closer);
      else if (character === open.at(-1)) {
        open.pop();
        if (open.length === 0) return at + 1;
      } else if (character === ')' || character === ']' || character === '}') return undefined;
      if (character.trim() !== '') significant = character;
      at += 1;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/** A slash divides after a value; after an operator, an opening bracket or `return` it starts a regular expression. */
function startsRegularExpression(text: string, at: number, significant: string): boolean {
  if (significant === '' || '(,=:[!&|?{};+-*%~^<>'.includes(significant)) return true;
  return /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void)\s*$/.test(
    text.slice(Math.max(0, at - 12), at),
  );
}

function endOfRegularExpression(text: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\n') return start + 1;
    if (character === '\\') at += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1;
  }
  return start + 1;
}
