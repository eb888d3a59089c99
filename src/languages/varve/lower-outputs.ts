// Where the results of a command go and where its standard streams lead: named outputs, stdin, stdout, stderr.
import { isObject, type Json } from '../../core/json.ts';
import { isInnerPath } from './check-shape.ts';
import { languageErrors, quote } from './error-codes.ts';
import { givenSpec, resolveGiven } from './given-input.ts';
import { inputIdentity, variablePart } from './input-spec.ts';
import type { CommandDraft } from './lower-command.ts';
import { noteCollision } from './lower-inputs.ts';
import { lowerTemplate, lowerTemplates, type TemplateScope } from './lower-template.ts';
import type { CheckedAction, InputKind, LoweringContext } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath } from './problems.ts';
import type { Template } from './template.ts';

/** Lowers the named outputs; their paths may use inputs and parameters. */
export function lowerOutputs(
  outputs: Readonly<Record<string, string>>,
  draft: CommandDraft,
  scope: TemplateScope,
  path: DocumentPath,
  context: LoweringContext,
): void {
  const variables = new Map<string, string>();
  for (const name of Object.keys(outputs)) {
    const part = variablePart(name);
    const other = variables.get(part);
    if (other !== undefined)
      noteCollision(other, name, `VARVE_OUTPUT_${part}`, { parent: path, key: name }, context);
    variables.set(part, name);
  }
  const lowered = lowerTemplates(outputs, { ...scope, roots: ['inputs', 'params'] }, path, context);
  for (const [name, template] of Object.entries(lowered))
    checkInner(template, { parent: path, key: name }, context);
  if (variables.size > 0) draft.spec.outputs = lowered;
}

/** Lowers stdin, stdout and stderr. */
export function lowerRedirections(
  action: CheckedAction,
  draft: CommandDraft,
  scope: () => TemplateScope,
  path: DocumentPath,
  context: LoweringContext,
): void {
  for (const key of ['stdout', 'stderr'] as const) {
    const text = action[key];
    if (text === undefined) continue;
    const inner = { parent: path, key };
    const narrow = { ...scope(), roots: ['inputs', 'outputs', 'params'] as const };
    const template = lowerTemplate(text, narrow, inner, context)?.[0];
    if (template !== undefined && checkInner(template, inner, context)) draft.spec[key] = template;
  }
  if (typeof action.stdin === 'string')
    lowerNamedStdin(action.stdin, draft, scope().inputs, { parent: path, key: 'stdin' }, context);
  else if (isObject(action.stdin))
    lowerStdinFile(action.stdin, draft, { parent: path, key: 'stdin' }, context);
}

function lowerStdinFile(
  stdin: Json,
  draft: CommandDraft,
  path: DocumentPath,
  context: LoweringContext,
): void {
  const value = resolveGiven(stdin, path, context);
  const lowered = value && givenSpec(value, path, context);
  if (lowered === undefined || !('file' in lowered)) return;
  draft.spec.stdin = lowered;
  draft.placeless.stdin = inputIdentity(lowered);
}

function lowerNamedStdin(
  name: string,
  draft: CommandDraft,
  kinds: ReadonlyMap<string, InputKind>,
  path: DocumentPath,
  context: LoweringContext,
): void {
  const kind = kinds.get(name);
  if (kind !== undefined) {
    if (kind.form === 'many')
      noteValue('one file or value', `${quote(name)}, which is several`, path, context);
    draft.spec.stdin = { input: name };
    return;
  }
  const { problems } = context;
  const hint = `${hintFromNames(name, [...kinds.keys()], 'inputs')}; a file is written { file: path }`;
  problems.add(path, 'value', (place) =>
    languageErrors.REFERENCE_UNKNOWN.with({ place, hint }, problems.where(path), `inputs.${name}`),
  );
}

/** Parameters may have put anything into a path; what inputs put in is checked when the action runs. */
function checkInner(template: Template, path: DocumentPath, context: LoweringContext): boolean {
  if (typeof template !== 'string' || isInnerPath(template)) return true;
  noteValue('a relative path without ".."', quote(template), path, context);
  return false;
}

/** Notes a value that has the right type but is not allowed. */
export function noteValue(wanted: string, found: string, path: DocumentPath, context: LoweringContext): void {
  const { problems } = context;
  problems.add(path, 'value', (place) =>
    languageErrors.FIELD_VALUE.with({ place }, problems.where(path), wanted, found),
  );
}
