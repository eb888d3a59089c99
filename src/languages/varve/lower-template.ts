// Templates of a document turned into their stored form: parameters are put in, everything else is checked to exist and
// stays symbolic, so that identity does not depend on places.
import type { Scalar } from './document.ts';
import { languageErrors } from './error-codes.ts';
import type { GivenValue } from './given-value.ts';
import type { InputKind, LoweringContext } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath } from './problems.ts';
import {
  type ParsedReference,
  parseTemplate,
  type Reference,
  resourceReferences,
  storedTemplate,
  type Template,
  type TemplateRoot,
} from './template.ts';

/** What may be referred to at one place. */
export interface TemplateScope {
  readonly roots: readonly TemplateRoot[];
  readonly inputs: ReadonlyMap<string, InputKind>;
  /** Declared outputs; true for globs, which have no single path. */
  readonly outputs: ReadonlyMap<string, boolean>;
  readonly resources: ReadonlySet<string>;
  /** Whether a lone reference may stand for several words. */
  readonly spread: boolean;
}

/** A place where only parameters are known: literal inputs and file names. */
export const parametersOnly: TemplateScope = {
  roots: ['params'],
  inputs: new Map(),
  outputs: new Map(),
  resources: new Set(),
  spread: false,
};

/** The stored form, several for a spread list; undefined when a problem was noted. */
export function lowerTemplate(
  text: string,
  scope: TemplateScope,
  path: DocumentPath,
  context: LoweringContext,
): readonly Template[] | undefined {
  if (!text.includes('${')) return [text];
  const parsed = parseTemplate(text);
  if ('mistake' in parsed) {
    noteMistake(parsed, scope, path, context);
    return undefined;
  }
  const only = parsed.pieces.length === 1 ? parsed.pieces[0] : undefined;
  if (typeof only === 'object' && only.root === 'params' && only.spread && scope.spread)
    return spreadParameter(only, path, context);
  const pieces: (string | Reference)[] = [];
  for (const piece of parsed.pieces) {
    const lowered =
      typeof piece === 'string' ? piece : lowerReference(piece, scope, piece === only, path, context);
    if (lowered === undefined) return undefined;
    pieces.push(lowered);
  }
  return [storedTemplate(pieces)];
}

/** The stored forms of a map of texts; entries with problems are left out. */
export function lowerTemplates(
  map: Readonly<Record<string, Scalar>>,
  scope: TemplateScope,
  path: DocumentPath,
  context: LoweringContext,
): Record<string, Template> {
  const entries = Object.entries(map).flatMap(([name, text]) => {
    const template = lowerTemplate(String(text), scope, { parent: path, key: name }, context)?.[0];
    return template === undefined ? [] : [[name, template] as const];
  });
  return Object.fromEntries(entries);
}

/** The text of a template in which only parameters may occur; undefined when a problem was noted. */
export function parameterText(
  text: string,
  path: DocumentPath,
  context: LoweringContext,
): string | undefined {
  const lowered = lowerTemplate(text, parametersOnly, path, context)?.[0];
  return typeof lowered === 'string' ? lowered : undefined;
}

/** The parameter that a text consists of, with its own type; undefined when it is anything else. */
export function wholeParameter(text: string, context: LoweringContext): GivenValue | undefined {
  if (!text.startsWith('${params.')) return undefined;
  const parsed = parseTemplate(text);
  const only = 'pieces' in parsed && parsed.pieces.length === 1 ? parsed.pieces[0] : undefined;
  if (typeof only !== 'object' || only.root !== 'params') return undefined;
  return context.parameters.get(only.name);
}

function lowerReference(
  reference: ParsedReference,
  scope: TemplateScope,
  alone: boolean,
  path: DocumentPath,
  context: LoweringContext,
): string | Reference | undefined {
  const written = referenceText(reference);
  if (reference.root === 'params' && !context.parameters.has(reference.name))
    return missingParameter(reference, path, context);
  if (!scope.roots.includes(reference.root))
    return refuse(context, path, `\${${written}} cannot be used here`, rootsHint(scope));
  if (reference.spread && !(scope.spread && alone))
    return refuse(
      context,
      path,
      `\${${written}} stands for several words`,
      'it must be a whole item of a command list',
    );
  const ref = reference.root === 'output' ? 'output' : `${reference.root}.${reference.name}`;
  switch (reference.root) {
    case 'output':
      return { ref };
    case 'params':
      return parameterPiece(reference, path, context);
    case 'inputs': {
      const kind = scope.inputs.get(reference.name);
      if (kind === undefined) return unknown(context, path, written, [...scope.inputs.keys()], 'inputs');
      const list =
        kind.form === 'list' || kind.form === 'many' || (kind.form === 'read' && kind.list !== false);
      if (reference.spread && !list)
        return refuse(context, path, `\${${written}}: the input is not a list`, `write \${${ref}}`);
      if (!reference.spread && kind.form === 'list')
        return refuse(
          context,
          path,
          `\${${written}}: the input is a list`,
          `write \${${ref}[*]} as an item of its own`,
        );
      return reference.spread ? { ref, spread: true } : { ref };
    }
    case 'outputs': {
      const glob = scope.outputs.get(reference.name);
      if (glob === undefined) return unknown(context, path, written, [...scope.outputs.keys()], 'outputs');
      if (glob || reference.spread)
        return refuse(context, path, `\${${written}}: the output is a glob, not one path`, 'use ${output}');
      return { ref };
    }
    case 'resources':
      if (!resourceReferences.some((name) => name === reference.name))
        return unknown(context, path, written, resourceReferences, 'resources');
      if (!scope.resources.has(reference.name))
        return refuse(
          context,
          path,
          `\${${written}} has no value`,
          `declare \`resources.${reference.name}\``,
        );
      return { ref };
  }
}

function parameterPiece(
  reference: ParsedReference,
  path: DocumentPath,
  context: LoweringContext,
): string | undefined {
  const value = context.parameters.get(reference.name)!;
  if (value.is === 'scalar') return String(value.value);
  const kind = value.is === 'list' ? 'a list' : `a ${value.is}`;
  const hint = `declare an input \`${reference.name}: \${params.${reference.name}}\` and use that`;
  return refuse(context, path, `\${params.${reference.name}} is ${kind}, not text`, hint);
}

function spreadParameter(
  reference: ParsedReference,
  path: DocumentPath,
  context: LoweringContext,
): readonly string[] | undefined {
  const value = context.parameters.get(reference.name);
  if (value === undefined) return missingParameter(reference, path, context);
  if (value.is === 'list' && value.items.every((item) => item.is === 'scalar'))
    return value.items.map((item) => String(item.value));
  return refuse(context, path, `\${params.${reference.name}[*]} is not a list of plain values`, undefined);
}

/** A parameter without value was reported where it is declared. */
function missingParameter(
  reference: ParsedReference,
  path: DocumentPath,
  context: LoweringContext,
): undefined {
  if (context.parameterNames.includes(reference.name)) return undefined;
  return unknown(context, path, referenceText(reference), context.parameterNames, 'params');
}

function noteMistake(
  parsed: { readonly mistake: string; readonly reference?: string },
  scope: TemplateScope,
  path: DocumentPath,
  context: LoweringContext,
): void {
  if (parsed.reference === undefined) refuse(context, path, parsed.mistake, 'write $${ for a literal ${');
  else {
    const { problems } = context;
    const hint = `${rootsHint(scope)}; write $\${ for a literal \${`;
    problems.add(path, 'value', (place) =>
      languageErrors.REFERENCE_UNKNOWN.with(
        { place, hint },
        problems.where(path),
        parsed.reference!.slice(0, 100),
      ),
    );
  }
}

function rootsHint(scope: TemplateScope): string {
  const forms = scope.roots.map((root) => (root === 'output' ? '${output}' : `\${${root}.NAME}`));
  return `references here are ${forms.join(', ')}`;
}

function unknown(
  context: LoweringContext,
  path: DocumentPath,
  written: string,
  known: readonly string[],
  what: string,
): undefined {
  const { problems } = context;
  const name = written.replace(/^\w+\./, '').replace(/\[\*\]$/, '');
  const hint = hintFromNames(name, known, what);
  problems.add(path, 'value', (place) =>
    languageErrors.REFERENCE_UNKNOWN.with({ place, hint }, problems.where(path), written),
  );
  return undefined;
}

function refuse(
  context: LoweringContext,
  path: DocumentPath,
  detail: string,
  hint: string | undefined,
): undefined {
  const { problems } = context;
  problems.add(path, 'value', (place) =>
    languageErrors.REFERENCE_SYNTAX.with({ place, hint }, problems.where(path), detail),
  );
  return undefined;
}

function referenceText(reference: ParsedReference): string {
  if (reference.root === 'output') return 'output';
  return `${reference.root}.${reference.name}${reference.spread ? '[*]' : ''}`;
}
