// The inputs of one action: what is given, what comes from parents, and under which variable each will be found.
import { isObject, type Json } from '../../core/json.ts';
import type { ParentLink } from '../../core/workflow.ts';
import type { ParentInput, ReadAs } from './document.ts';
import { languageErrors } from './error-codes.ts';
import { givenSpec, resolveGiven, wantFiles } from './given-input.ts';
import { idText } from './graph-rules.ts';
import { type DatasetView, type InputSpec, variablePart } from './input-spec.ts';
import type { CheckedAction, InputKind, LoweringContext } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath } from './problems.ts';

/** The inputs of an action; `kinds` is made on demand, because most commands of large workflows refer to nothing. */
export class LoweredInputs {
  readonly parents: ParentLink[] = [];
  #specs: Map<string, InputSpec> | undefined;
  readonly #action: CheckedAction;
  readonly #context: LoweringContext;
  #kinds: Map<string, InputKind> | undefined;

  constructor(action: CheckedAction, context: LoweringContext) {
    this.#action = action;
    this.#context = context;
  }

  /** Inputs that need more than "the dataset of this slot, as it is". */
  get specs(): ReadonlyMap<string, InputSpec> {
    return this.#specs ?? noSpecs;
  }

  setSpec(name: string, spec: InputSpec): void {
    (this.#specs ??= new Map()).set(name, spec);
  }

  /** Takes an input away, as a scatter does with its list. */
  remove(name: string): void {
    this.kinds.delete(name);
    this.#specs?.delete(name);
  }

  get kinds(): Map<string, InputKind> {
    if (this.#kinds === undefined) {
      this.#kinds = new Map();
      for (const [name, input] of Object.entries(this.#action.inputs ?? {}) as [string, Json][])
        this.#kinds.set(name, kindOf(input, this.specs.get(name), this.#context));
      for (const { slot } of this.parents)
        if (!this.#kinds.has(slot)) this.#kinds.set(slot, { form: this.specs.has(slot) ? 'many' : 'path' });
    }
    return this.#kinds;
  }
}

const noSpecs: ReadonlyMap<string, InputSpec> = new Map();
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
  const lowered = new LoweredInputs(action, context);
  const variables = new Variables(path, context);
  if (action.inputs !== undefined) {
    const inputsPath = { parent: path, key: 'inputs' };
    for (const [name, input] of Object.entries(action.inputs) as [string, Json][]) {
      const inner = { parent: inputsPath, key: name };
      const parent = isObject(input) && 'from' in input;
      if (parent) lowerParent(name, input as unknown as ParentInput, inner, lowered, context);
      else {
        const value = resolveGiven(input, inner, context);
        const spec = value && givenSpec(value, inner, context);
        if (spec !== undefined) lowered.setSpec(name, spec);
      }
      variables.claim(name, parent && !lowered.specs.has(name) ? idText(input.from) : undefined, inner);
    }
  }
  const parentActions = action.parentActions ?? [];
  for (let index = 0; index < parentActions.length; index += 1) {
    const entry = parentActions[index] as Json;
    const id = idText(isObject(entry) ? entry.id : entry)!;
    const alone = parentActions.length === 1 && action.inputs === undefined;
    if (!alone && !variables.claim(id, id, index)) continue;
    const optional = isObject(entry) && entry.optional === true;
    lowered.parents.push(optional ? { slot: id, key: id, optional } : { slot: id, key: id });
    if (context.graph.scattered.has(id)) lowered.setSpec(id, { dataset: { many: true } });
  }
  return lowered;
}

/** Which input has which environment variable; two inputs cannot share one unless they are the same dataset. */
class Variables {
  #taken: Map<string, { readonly name: string; readonly wholeOf: string | undefined }> | undefined;
  readonly #path: DocumentPath;
  readonly #context: LoweringContext;

  constructor(path: DocumentPath, context: LoweringContext) {
    this.#path = path;
    this.#context = context;
  }

  /** False when the variable is taken: by the same dataset, which is fine, or by something else, which is noted. */
  claim(name: string, wholeOf: string | undefined, from: DocumentPath | number): boolean {
    const part = variablePart(name);
    this.#taken ??= new Map();
    const other = this.#taken.get(part);
    if (other === undefined) {
      this.#taken.set(part, { name, wholeOf });
      return true;
    }
    if (wholeOf === undefined || other.wholeOf !== wholeOf) {
      const place =
        typeof from === 'number' ? { parent: { parent: this.#path, key: 'parentActions' }, key: from } : from;
      noteCollision(other.name, name, `VARVE_INPUT_${part}`, place, this.#context);
    }
    return false;
  }
}

/** What kind of thing an input of the document is; a literal with problems counts as what it seems to be. */
function kindOf(input: Json, spec: InputSpec | undefined, context: LoweringContext): InputKind {
  if (isObject(input) && 'from' in input) {
    const { as, from } = input as unknown as ParentInput;
    const view = spec !== undefined && 'dataset' in spec ? spec.dataset : {};
    return parentKind(as, view.many === true || context.graph.scattered.has(String(from)));
  }
  if (spec === undefined)
    return { form: Array.isArray(input) ? 'list' : isObject(input) ? 'path' : 'scalar' };
  if ('value' in spec) return { form: Array.isArray(spec.value) ? 'list' : 'scalar' };
  return { form: 'list' in spec ? 'list' : 'path' };
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
  if (input.as !== undefined && input.output === undefined && input.files === undefined)
    noteConflict('`as` needs `output` or `files`: the file to read', path, context);
  const view: DatasetView = {
    ...(input.output === undefined ? {} : { output: input.output }),
    ...(input.files === undefined ? {} : { files: input.files }),
    ...(input.as === undefined ? {} : { as: input.as }),
    ...(several ? { many: true as const } : {}),
  };
  if (Object.keys(view).length > 0) lowered.setSpec(name, { dataset: view });
}

function parentKind(as: ReadAs | undefined, several: boolean): InputKind {
  if (as === undefined) return { form: several ? 'many' : 'path' };
  if (several || as === 'lines') return { form: 'read', list: true };
  return { form: 'read', list: as === 'json' ? undefined : false };
}

/** The path or glob that another action declares under a name (for a list of a tool, a glob that matches all); undefined (with a note) when it declares none. */
export function outputPattern(
  key: string,
  output: string,
  path: DocumentPath,
  context: LoweringContext,
): string | undefined {
  const index = context.graph.indexOf.get(key);
  const parent = index === undefined ? undefined : context.actions[index];
  if (!isObject(parent)) return undefined;
  const tool = context.tools.get(key);
  // The tool of a call that has none was noted where it is called.
  if (tool === undefined && parent.type === 'cwl') return undefined;
  const declared = tool && [...tool.outputs].map(([name, { list }]) => [name, list ? '*' : name]);
  const outputs = declared ? Object.fromEntries(declared) : isObject(parent.outputs) ? parent.outputs : {};
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
