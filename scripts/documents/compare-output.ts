// Compares what a page shows with what a command printed. `…` stands for any text, alone on a line for any lines. Times, dates and
// the width of columns differ from machine to machine and are never compared; a signature in the page may stand for another one,
// but always for the same.

/** Signatures of the page with the ones that were really there. */
export type Signatures = Map<string, string>;

const varying: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d'],
  [/\d+(?:\.\d+)? (?:ms|s|min)\b/, '\\d+(?:\\.\\d+)? (?:ms|s|min)'],
  [/…/, '.*'],
  [/ {2,}/, ' +'],
];
const signature = /\b[0-9a-f]{12}(?:[0-9a-f]{52})?\b/;
const tokens = new RegExp(
  [signature, ...varying.map(([pattern]) => pattern)].map((p) => p.source).join('|'),
  'g',
);

/** Undefined when they agree, else a sentence; remembers which signature stands for which. */
export function compareOutput(
  expected: readonly string[],
  actual: readonly string[],
  signatures: Signatures,
): string | undefined {
  let at = 0;
  let anyLines = false;
  for (const line of expected) {
    if (line.trim() === '…') {
      anyLines = true;
      continue;
    }
    const found = actual
      .slice(at, anyLines ? undefined : at + 1)
      .findIndex((text) => fits(line, text, signatures));
    if (found < 0) return `expected:  ${line}\n  found:     ${actual[at] ?? '(nothing more)'}`;
    at += found + 1;
    anyLines = false;
  }
  return anyLines || at >= actual.length ? undefined : `found more: ${actual[at]}`;
}

function fits(expected: string, actual: string, signatures: Signatures): boolean {
  const written: string[] = [];
  let pattern = '';
  let end = 0;
  for (const match of expected.trimEnd().matchAll(tokens)) {
    pattern += literal(expected.slice(end, match.index));
    const rule = varying.find(([form]) => form.test(match[0]));
    if (rule) pattern += rule[1];
    else {
      pattern += `([0-9a-f]{${match[0].length}})`;
      written.push(match[0]);
    }
    end = match.index + match[0].length;
  }
  pattern += literal(expected.trimEnd().slice(end));
  const found = new RegExp(`^${pattern}$`).exec(actual.trimEnd());
  if (!found) return false;
  const pairs = written.map((name, index) => [name.slice(0, 12), found[index + 1]!.slice(0, 12)] as const);
  if (pairs.some(([name, real]) => (signatures.get(name) ?? real) !== real)) return false;
  for (const [name, real] of pairs) signatures.set(name, real);
  return true;
}

/** A command with the signatures that are really there, for those (or beginnings of those) of the page. */
export function withRealSignatures(command: string, signatures: Signatures): string {
  return command.replace(/\b[0-9a-f]{6,12}\b/g, (text) => {
    const entry = [...signatures].find(([name]) => name.startsWith(text));
    return entry ? entry[1].slice(0, text.length) : text;
  });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
