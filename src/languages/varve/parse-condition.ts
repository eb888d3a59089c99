// The text of `when`, a little language: comparisons of values, `in`, && || !, parentheses, members of JSON values and size().
// It has no calls into anything, no loops and no arithmetic, so a condition always ends and can do no harm.
import type { Json } from '../../core/json.ts';

export type Condition =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'list'; readonly items: readonly Condition[] }
  | { readonly is: 'reference'; readonly root: 'inputs' | 'params'; readonly name: string }
  | { readonly is: 'member'; readonly of: Condition; readonly key: Condition }
  | { readonly is: 'size'; readonly of: Condition }
  | { readonly is: 'not'; readonly of: Condition }
  | { readonly is: Operator; readonly left: Condition; readonly right: Condition };

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '&&' | '||';

/** A condition that cannot be read or does not fit its values; `at` is the offset in its text, if known. */
export class ConditionMistake extends Error {
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

const longestCondition = 4096;
const deepestCondition = 64;
const tokenForm =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(==|!=|<=|>=|&&|\|\||[<>!()[\],.-]))/y;

interface Token {
  readonly kind: 'number' | 'word' | 'string' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** Parses a condition; throws ConditionMistake with the offset of what is wrong. */
export function parseCondition(text: string): Condition {
  if (text.length > longestCondition)
    throw new ConditionMistake(`the condition is longer than ${longestCondition} characters`, 0);
  const parser = new Parser(tokensOf(text));
  const condition = parser.either(0);
  parser.end();
  return condition;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokenForm.lastIndex < end) {
    const from = tokenForm.lastIndex;
    const match = tokenForm.exec(text);
    if (match === null) {
      const at = from + text.slice(from).search(/\S/);
      throw new ConditionMistake(`cannot read ${JSON.stringify(text.slice(at, at + 20))}`, at);
    }
    const [whole, number, word, string, sign] = match;
    const found = number ?? word ?? string ?? sign!;
    const kind = number ? 'number' : word ? 'word' : string ? 'string' : 'sign';
    tokens.push({ kind, text: found, at: from + whole.length - found.length });
  }
  tokens.push({ kind: 'end', text: 'the end', at: end });
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  end(): void {
    if (this.#peek().kind !== 'end') throw this.#unexpected();
  }

  either(depth: number): Condition {
    if (depth > deepestCondition)
      throw new ConditionMistake('the condition is nested too deeply', this.#peek().at);
    let left = this.#both(depth);
    while (this.#take('||')) left = { is: '||', left, right: this.#both(depth) };
    return left;
  }

  #both(depth: number): Condition {
    let left = this.#comparison(depth);
    while (this.#take('&&')) left = { is: '&&', left, right: this.#comparison(depth) };
    return left;
  }

  #comparison(depth: number): Condition {
    const left = this.#unary(depth);
    const sign = this.#peek().text;
    const compares =
      ['==', '!=', '<', '<=', '>', '>=', 'in'].includes(sign) && this.#peek().kind !== 'string';
    if (!compares) return left;
    this.#at += 1;
    return { is: sign as Operator, left, right: this.#unary(depth) };
  }

  #unary(depth: number): Condition {
    let nots = 0;
    while (this.#take('!')) nots += 1;
    let inner = this.#access(depth);
    if (nots > 0) inner = { is: 'not', of: nots % 2 === 1 ? inner : { is: 'not', of: inner } };
    return inner;
  }

  #access(depth: number): Condition {
    let inner = this.#primary(depth);
    for (;;) {
      if (this.#take('.')) inner = memberOf(inner, { is: 'value', value: this.#word() });
      else if (this.#take('[')) {
        inner = memberOf(inner, this.either(depth + 1));
        this.#must(']');
      } else return this.#complete(inner);
    }
  }

  #primary(depth: number): Condition {
    const token = this.#peek();
    this.#at += 1;
    if (token.kind === 'number') return { is: 'value', value: Number(token.text) };
    if (token.kind === 'string') return { is: 'value', value: unquoted(token) };
    if (token.text === '-' && this.#peek().kind === 'number') {
      this.#at += 1;
      return { is: 'value', value: -Number(this.#tokens[this.#at - 1]!.text) };
    }
    if (token.text === '(') {
      const inner = this.either(depth + 1);
      this.#must(')');
      return inner;
    }
    if (token.text === '[') return this.#list(depth);
    if (token.kind === 'word') return this.#named(token, depth);
    this.#at -= 1;
    throw this.#unexpected();
  }

  #list(depth: number): Condition {
    const items: Condition[] = [];
    if (this.#take(']')) return { is: 'list', items };
    do items.push(this.either(depth + 1));
    while (this.#take(','));
    this.#must(']');
    return { is: 'list', items };
  }

  #named(token: Token, depth: number): Condition {
    if (token.text === 'true' || token.text === 'false') return { is: 'value', value: token.text === 'true' };
    if (token.text === 'null') return { is: 'value', value: null };
    if (token.text === 'inputs' || token.text === 'params')
      return { is: 'reference', root: token.text, name: '' };
    if (token.text === 'size' && this.#take('(')) {
      const of = this.either(depth + 1);
      this.#must(')');
      return { is: 'size', of };
    }
    throw new ConditionMistake(
      `there is no ${JSON.stringify(token.text)}; use inputs.NAME or params.NAME`,
      token.at,
    );
  }

  /** `inputs` and `params` mean nothing without a name. */
  #complete(condition: Condition): Condition {
    if (condition.is === 'reference' && condition.name === '')
      throw new ConditionMistake(`${condition.root} needs a name: ${condition.root}.NAME`, this.#peek().at);
    return condition;
  }

  #word(): string {
    const token = this.#peek();
    if (token.kind !== 'word' && token.kind !== 'number') throw this.#unexpected();
    this.#at += 1;
    return token.text;
  }

  #take(sign: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'sign' || token.text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #must(sign: string): void {
    if (!this.#take(sign)) throw this.#unexpected(sign);
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #unexpected(wanted?: string): ConditionMistake {
    const token = this.#peek();
    const found =
      token.kind === 'end'
        ? 'the condition ends too early'
        : `${JSON.stringify(token.text)} is not expected here`;
    return new ConditionMistake(wanted ? `${found}, ${JSON.stringify(wanted)} is` : found, token.at);
  }
}

function memberOf(of: Condition, key: Condition): Condition {
  const naming = of.is === 'reference' && of.name === '' && key.is === 'value';
  if (naming && of.is === 'reference') return { ...of, name: String(key.value) };
  return { is: 'member', of, key };
}

function unquoted(token: Token): string {
  return token.text
    .slice(1, -1)
    .replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : char));
}
