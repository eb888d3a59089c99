// The command of an action as spec and identity: words or shell text, inputs, environment, programs, container. Identity is
// the spec with the places taken out, and the very same object when there are none.
import type { Json, JsonObject } from '../../core/json.ts';
import { type CommandSpec, commandLineType } from './command-spec.ts';
import type { ContainerDocument, Scalar } from './document.ts';
import { languageErrors } from './error-codes.ts';
import { type InputSpec, inputIdentity, isPlaceless, variablePart } from './input-spec.ts';
import { isGlob } from './lower-inputs.ts';
import { lowerKeyed } from './lower-keyed.ts';
import { lowerOutputs, lowerRedirections, noteValue } from './lower-outputs.ts';
import { lowerTemplate, lowerTemplates, type TemplateScope } from './lower-template.ts';
import type { CheckedAction, InputKind, LoweringContext } from './lowering-context.ts';
import type { DocumentPath } from './problems.ts';
import { lowerPrograms } from './program-files.ts';
import type { Template } from './template.ts';

export interface LoweredCommand {
  readonly spec: CommandSpec;
  readonly identity: JsonObject;
}

/** A spec under construction, and what identity has in place of those of its fields that contain places. */
export interface CommandDraft {
  readonly spec: { -readonly [K in keyof CommandSpec]: CommandSpec[K] };
  readonly placeless: { -readonly [K in keyof CommandSpec]?: Json };
}

/** The inputs that the command itself sees. */
export interface CommandInputs {
  readonly specs: ReadonlyMap<string, InputSpec>;
  readonly kinds: ReadonlyMap<string, InputKind>;
}

const shellReference = /\$\{\s*((?:inputs|outputs|params|resources)\.[^}]*)\}/;
const defaultsEnv: DocumentPath = { parent: { parent: undefined, key: 'defaults' }, key: 'env' };

/** Lowers the command of a checked action; problems are noted. */
export function lowerCommand(
  action: CheckedAction,
  path: DocumentPath,
  inputs: CommandInputs,
  context: LoweringContext,
): LoweredCommand {
  const { defaults } = context;
  const draft: CommandDraft = { spec: {} as CommandDraft['spec'], placeless: {} };
  const { spec, placeless } = draft;
  let made: TemplateScope | undefined;
  const scope = (): TemplateScope => (made ??= commandScope(action, inputs, context));
  const at = (key: string): DocumentPath => ({ parent: path, key });

  if (typeof action.command === 'string') {
    spec.shell = action.command;
    noteShellReference(action.command, path, context);
  } else spec.argv = lowerWords(action.command, { ...scope(), spread: true }, at('command'), context);
  if (inputs.specs.size > 0) lowerCommandInputs(inputs.specs, draft);
  if (defaults.env !== undefined || action.env !== undefined) {
    const shared = lowerTemplates(defaults.env ?? {}, scope(), defaultsEnv, context);
    const env = { ...shared, ...lowerTemplates(action.env ?? {}, scope(), at('env'), context) };
    if (Object.keys(env).length > 0) spec.env = env;
  }
  if (action.outputs !== undefined) lowerOutputs(action.outputs, draft, scope(), at('outputs'), context);
  lowerRedirections(action, draft, scope, path, context);
  const programs = lowerPrograms(action, path, context);
  if (programs.length > 0) {
    spec.programs = programs;
    placeless.programs = programs.map(({ name, sha256 }) => ({ name, sha256 }));
  }
  if (action.successCodes !== undefined) {
    const codes = [...new Set(action.successCodes)].sort((a, b) => a - b);
    if (codes.length > 1 || codes[0] !== 0) spec.successCodes = codes;
  }
  const container = action.container ?? defaults.container;
  if (container !== undefined) lowerContainer(container, draft, at('container'), context);
  if (action.network ?? defaults.network ?? false) spec.network = true;
  lowerKeyed(action, draft, path, context);
  // Last, because then the keys of a plain command are in the order in which they are signed.
  spec.type = commandLineType;

  const whole = spec as unknown as JsonObject;
  for (const _ in placeless) return { spec, identity: { ...whole, ...placeless } };
  return { spec, identity: whole };
}

function commandScope(action: CheckedAction, inputs: CommandInputs, context: LoweringContext): TemplateScope {
  const declared = { cores: 1, ...context.defaults.resources, ...action.resources };
  return {
    roots: ['inputs', 'outputs', 'output', 'params', 'resources'],
    inputs: inputs.kinds,
    outputs: new Map(Object.entries(action.outputs ?? {}).map(([name, text]) => [name, isGlob(text)])),
    resources: new Set(Object.keys(declared)),
    spread: false,
  };
}

function lowerCommandInputs(specs: ReadonlyMap<string, InputSpec>, { spec, placeless }: CommandDraft): void {
  const entries = [...specs];
  spec.inputs = Object.fromEntries(entries);
  if (entries.every(([, input]) => isPlaceless(input))) return;
  placeless.inputs = Object.fromEntries(entries.map(([name, input]) => [name, inputIdentity(input)]));
}

function lowerWords(
  command: readonly Scalar[],
  scope: TemplateScope,
  path: DocumentPath,
  context: LoweringContext,
): readonly Template[] {
  const words: Template[] = [];
  for (const [index, item] of command.entries()) {
    if (typeof item === 'string' && !item.includes('${')) words.push(item);
    else words.push(...(lowerTemplate(String(item), scope, { parent: path, key: index }, context) ?? []));
  }
  if (words[0] === '') noteValue('a program as its first item', 'an empty string', path, context);
  return words;
}

function lowerContainer(
  container: string | ContainerDocument,
  { spec, placeless }: CommandDraft,
  path: DocumentPath,
  context: LoweringContext,
): void {
  const { image, digest, engine }: ContainerDocument =
    typeof container === 'string' ? { image: container } : (container as ContainerDocument);
  spec.container = {
    image,
    ...(digest === undefined ? {} : { digest }),
    ...(engine === undefined ? {} : { engine }),
  };
  if (context.missingEngines.has(engine ?? 'any')) {
    const wanted = engine ?? 'docker, podman or apptainer';
    context.problems.add(path, 'value', (place) =>
      languageErrors.CONTAINER_ENGINE_MISSING.with({ place }, wanted),
    );
  }
  placeless.container = digest === undefined ? { image } : { digest };
}

function noteShellReference(text: string, action: DocumentPath, context: LoweringContext): void {
  const reference = shellReference.exec(text)?.[1];
  if (reference === undefined) return;
  const path = { parent: action, key: 'command' };
  const [root, name = ''] = reference.trim().split(/\.(.*)/s);
  const part = variablePart(name.replace(/\[\*\]$/, ''));
  const variable =
    root === 'inputs'
      ? `"$VARVE_INPUT_${part}"`
      : root === 'outputs'
        ? `"$VARVE_OUTPUT_${part}"`
        : root === 'resources'
          ? '"$VARVE_CORES" or "$VARVE_MEMORY"'
          : `an input \`${name}: \${params.${name}}\` and "$VARVE_INPUT_${part}"`;
  const { problems } = context;
  problems.add(path, 'value', (place) =>
    languageErrors.REFERENCE_IN_SHELL.with(
      { place, hint: `use ${variable}, which no value can break; or write the command as a list` },
      problems.where(path),
      reference.slice(0, 100),
    ),
  );
}
