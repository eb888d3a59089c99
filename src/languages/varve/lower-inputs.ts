// The inputs of one action: what is given, what comes from parents, and under which variable each will be found.
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ParentLink } from '../../core/workflow.ts';
import type { ParentInput, ReadAs } from './document.ts';
import { languageErrors } from './error-codes.ts';
import { givenSpec, resolveGiven, wantFiles } from './given-input.ts';
import { idText } from './graph-rules.ts';
import { type DatasetView, type InputSpec, variablePart } from './input-spec.ts';
import type { CheckedAction, InputKind, LoweringContext } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath } from './problems.ts';

export interface LoweredInputs {
  /** Inputs that need more than "the dataset of this slot, as it is". */
  readonly specs: Map<string, InputSpec>;
  readonly kinds: Map<string, InputKind>;
  readonly parents: ParentLink[];
}

const globSigns = /[*?[{]/;

/** True for a path with signs that may match several files. */
export function isGlob(path: string): boolean {
  return globSigns.test(path.replace(/\$\{[^}]*\}/g, ''));
}

/** Wishes for the digests of all files that the inputs of an action name. */
export function wantInputs(action: CheckedAction, path: DocumentPath, context: LoweringContext): void {
  for (const [name, input] of Object.entries(action.inputs ?? {})) {
    if (isObject(input) && 'from' in input) continue;
    const value = resolveGiven(input as Json, { parent: path, key: name }, context);
    if (value !== undefined) wantFiles(value, context);
  }
}

/** Lowers `inputs` and `parentActions`; problems are noted. */
export function lowerInputs(
  action: CheckedAction,
  path: DocumentPath,
  context: LoweringContext,
): LoweredInputs {
  const lowered: LoweredInputs = { specs: new Map(), kinds: new Map(), parents: [] };
  const parentActions = action.parentActions ?? [];
  if (action.inputs === undefined && parentActions.length === 0) return lowered;
  const variables = new Map<string, { readonly name: string; readonly wholeOf: string | undefined }>();
  /** False when the variable is taken: by the same dataset, which is fine, or by something else, which is noted. */
  const claim = (name: string, wholeOf: string | undefined, from: DocumentPath): boolean => {
    const part = variablePart(name);
    const other = variables.get(part);
    if (other === undefined) variables.set(part, { name, wholeOf });
    else if (wholeOf === undefined || other.wholeOf !== wholeOf)
      noteCollision(other.name, name, `VARVE_INPUT_${part}`, from, context);
    return other === undefined;
  };
  if (action.inputs !== undefined) {
    const inputsPath = { parent: path, key: 'inputs' };
    for (const [name, input] of Object.entries(action.inputs) as [string, Json][]) {
      const inner = { parent: inputsPath, key: name };
      const parent = isObject(input) && 'from' in input;
      if (parent) lowerParent(name, input as unknown as ParentInput, inner, lowered, context);
      else lowerGiven(name, input, inner, lowered, context);
      claim(name, parent && !lowered.specs.has(name) ? idText(input.from) : undefined, inner);
    }
  }
  const listPath = { parent: path, key: 'parentActions' };
  for (const [index, entry] of parentActions.entries()) {
    const id = idText((isObject(entry) ? entry.id : entry) as Json)!;
    if (!claim(id, id, { parent: listPath, key: index })) continue;
    const optional = isObject(entry) && (entry as JsonObject).optional === true;
    lowered.parents.push(optional ? { slot: id, key: id, optional } : { slot: id, key: id });
    const many = context.graph.scattered.has(id);
    if (many) lowered.specs.set(id, { dataset: { many: true } });
    lowered.kinds.set(id, { form: many ? 'many' : 'path' });
  }
  return lowered;
}

function lowerGiven(
  name: string,
  input: Json,
  path: DocumentPath,
  lowered: LoweredInputs,
  context: LoweringContext,
): void {
  const value = resolveGiven(input, path, context);
  const spec = value && givenSpec(value, path, context);
  const list = value?.is === 'list' || Array.isArray(input);
  const scalar = value === undefined || value.is === 'scalar';
  lowered.kinds.set(name, { form: list ? 'list' : scalar ? 'scalar' : 'path' });
  if (spec !== undefined) lowered.specs.set(name, spec);
}

function lowerParent(
  name: string,
  input: ParentInput,
  path: DocumentPath,
  lowered: LoweredInputs,
  context: LoweringContext,
): void {
  const key = String(input.from);
  lowered.parents.push(input.optional ? { slot: name, key, optional: true } : { slot: name, key });
  if (input.output !== undefined && input.files !== undefined)
    noteConflict('`output` and `files` exclude each other', path, context);
  const pattern = input.output === undefined ? input.files : outputPattern(key, input.output, path, context);
  const several = context.graph.scattered.has(key) || (pattern !== undefined && isGlob(pattern));
  if (input.as !== undefined && pattern === undefined)
    noteConflict('`as` needs `output` or `files`: the file to read', path, context);
  lowered.kinds.set(name, parentKind(input.as, several));
  const view: DatasetView = {
    ...(input.output === undefined ? {} : { output: input.output }),
    ...(input.files === undefined ? {} : { files: input.files }),
    ...(input.as === undefined ? {} : { as: input.as }),
    ...(several ? { many: true as const } : {}),
  };
  if (Object.keys(view).length > 0) lowered.specs.set(name, { dataset: view });
}

function parentKind(as: ReadAs | undefined, several: boolean): InputKind {
  if (as === undefined) return { form: several ? 'many' : 'path' };
  if (several || as === 'lines') return { form: 'read', list: true };
  return { form: 'read', list: as === 'json' ? undefined : false };
}

/** The path or glob that another action declares under a name; undefined (with a note) when it declares none. */
function outputPattern(
  key: string,
  output: string,
  path: DocumentPath,
  context: LoweringContext,
): string | undefined {
  const index = context.graph.indexOf.get(key);
  const parent = index === undefined ? undefined : context.actions[index];
  if (!isObject(parent)) return undefined;
  const outputs = isObject(parent.outputs) ? parent.outputs : {};
  const pattern = Object.hasOwn(outputs, output) ? outputs[output] : undefined;
  if (typeof pattern === 'string') return pattern;
  const { problems } = context;
  const inner = { parent: path, key: 'output' };
  const hint = hintFromNames(output, Object.keys(outputs), `outputs of ${JSON.stringify(key)}`);
  problems.add(inner, 'value', (place) =>
    languageErrors.OUTPUT_UNDEFINED.with({ place, hint }, problems.where(inner), key, output),
  );
  return undefined;
}

export function noteCollision(
  first: string,
  second: string,
  variable: string,
  path: DocumentPath,
  context: LoweringContext,
): void {
  const { problems } = context;
  problems.add(path, 'key', (place) =>
    languageErrors.VARIABLE_COLLISION.with({ place }, problems.where(path), first, second, variable),
  );
}

export function noteConflict(detail: string, path: DocumentPath, context: LoweringContext): void {
  const { problems } = context;
  problems.add(path, 'value', (place) =>
    languageErrors.FIELD_CONFLICT.with({ place }, problems.where(path), detail),
  );
}
