// The ${…} references of command words, environment values and output paths. A parsed template is plain JSON, because it is
// what identity and spec contain: a string, or a list of pieces in which references stay symbolic.

/** `ref` is `inputs.NAME`, `outputs.NAME`, `output` or `resources.NAME`; a spread one stands for several words. */
export interface Reference {
  readonly ref: string;
  readonly spread?: true;
}
export type Template = string | readonly (string | Reference)[];

export type TemplateRoot = 'inputs' | 'outputs' | 'output' | 'params' | 'resources';

export interface ParsedReference {
  readonly root: TemplateRoot;
  readonly name: string;
  readonly spread: boolean;
}

export type TemplatePiece = string | ParsedReference;
export type ParsedTemplate =
  | { readonly pieces: readonly TemplatePiece[] }
  | { readonly mistake: string; readonly reference?: string };

const referenceForm = /^(inputs|outputs|params|resources)\.([^.[\]{}\s][^[\]{}\s]*?)(\[\*\])?$/;

/** The names that ${resources.…} knows. */
export const resourceReferences = ['cores', 'memory', 'disk', 'time'] as const;

/** Splits text into literal pieces and references; `$${` stands for a literal `${`. */
export function parseTemplate(text: string): ParsedTemplate {
  if (!text.includes('${')) return { pieces: [text] };
  const pieces: TemplatePiece[] = [];
  let literal = '';
  let from = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', from)) {
    if (at > from && text[at - 1] === '$') {
      literal += `${text.slice(from, at - 1)}\${`;
      from = at + 2;
      continue;
    }
    const end = text.indexOf('}', at);
    if (end < 0) return { mistake: 'a ${ has no closing }' };
    const inside = text.slice(at + 2, end).trim();
    const match = referenceForm.exec(inside);
    if (match === null && inside !== 'output') return { mistake: 'unknown', reference: inside };
    literal += text.slice(from, at);
    if (literal !== '') pieces.push(literal);
    literal = '';
    pieces.push(
      match === null
        ? { root: 'output', name: '', spread: false }
        : { root: match[1] as TemplateRoot, name: match[2]!, spread: match[3] !== undefined },
    );
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal !== '') pieces.push(literal);
  return { pieces };
}

/** The stored form: neighbouring texts joined, a template without references as a plain string. */
export function storedTemplate(pieces: readonly (string | Reference)[]): Template {
  const joined: (string | Reference)[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  if (joined.length === 0) return '';
  return joined.length === 1 && typeof joined[0] === 'string' ? joined[0] : joined;
}

/** What references stand for when an action runs. */
export interface ReferenceValues {
  text(ref: string): string;
  words(ref: string): readonly string[];
}

/** The text of a template. */
export function templateText(template: Template, values: ReferenceValues): string {
  if (typeof template === 'string') return template;
  let text = '';
  for (const piece of template) text += typeof piece === 'string' ? piece : values.text(piece.ref);
  return text;
}

/** The words of one item of a command: several for a spread, none for a lone reference to an empty input. */
export function templateWords(template: Template, values: ReferenceValues): readonly string[] {
  if (typeof template === 'string') return [template];
  const only = template.length === 1 ? template[0] : undefined;
  if (typeof only === 'object' && only.spread) return values.words(only.ref);
  const text = templateText(template, values);
  return text === '' && typeof only === 'object' && values.words(only.ref).length === 0 ? [] : [text];
}
