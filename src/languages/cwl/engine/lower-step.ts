// A step with symbolic inputs: scattered into elements where the lists are known, skipped where its condition is known to be false, and
// otherwise kept whole as a growing node that decides when its inputs are known.
import type { Json } from '../../../core/json.ts';
import { defaultPolicy } from '../../../core/workflow.ts';
import { cwlErrors } from '../error-codes.ts';
import type { CwlVersion, Step } from '../model/process.ts';
import { findRequirement, type Requirements } from '../model/requirement.ts';
import { describeValue } from '../values/check-value.ts';
import { digestSymbols } from './digest-symbols.ts';
import { SymbolEvaluator, scopeEvaluator, withNames } from './evaluate-symbols.ts';
import type { LoweringContext } from './lowering-context.ts';
import { nodeTypes, specJson } from './spec.ts';
import { SpecWriter } from './spec-writer.ts';
import { stepIdentity } from './step-identity.ts';
import { isLiteral, knownItems, listOf, type NodeOutput, nothing, type Scope, type Sym } from './symbol.ts';

export interface LoweredStep {
  readonly outputs: Readonly<Record<string, Sym>>;
  /** Set when the step's condition is known to be false. */
  readonly skipped?: string;
}

type Raw = Readonly<Record<string, Sym>>;

/** Inserts the nodes of a step whose inputs, before scatter and valueFrom, are `raw`. */
export async function lowerStep(
  context: LoweringContext,
  step: Step,
  raw: Raw,
  key: string,
  requirements: Requirements,
  version: CwlVersion,
): Promise<LoweredStep> {
  if (step.scatter.length === 0) return await lowerElement(context, step, raw, key, requirements, version);
  const lists = step.scatter.map((name) => scatterItems(step, name, raw[name] ?? nothing));
  if (lists.includes(undefined)) return await growLater(context, step, raw, key, requirements, version);
  const known = lists as readonly (readonly Sym[])[];
  const element = async (
    indexes: readonly number[],
    label: string,
  ): Promise<Readonly<Record<string, Sym>>> => {
    const own = Object.fromEntries(step.scatter.map((name, at) => [name, known[at]![indexes[at]!]!]));
    const one = await lowerElement(
      context,
      step,
      { ...raw, ...own },
      `${key}${label}`,
      requirements,
      version,
    );
    return one.outputs;
  };
  if (step.scatterMethod === 'nested_crossproduct')
    return { outputs: await nested(step, known, [], element) };
  const combinations =
    step.scatterMethod === 'flat_crossproduct' ? crossProduct(known) : dotProduct(step, known);
  const elements: Readonly<Record<string, Sym>>[] = [];
  for (const [index, indexes] of combinations.entries()) elements.push(await element(indexes, `[${index}]`));
  return { outputs: gathered(step, elements) };
}

function scatterItems(step: Step, name: string, sym: Sym): readonly Sym[] | undefined {
  const items = knownItems(sym);
  if (items === undefined && isLiteral(sym))
    throw cwlErrors.CWL_SCATTER(step.name, `"${name}" must be a list, not ${describeValue(sym.lit)}`);
  return items;
}

function gathered(step: Step, elements: readonly Readonly<Record<string, Sym>>[]): Record<string, Sym> {
  return Object.fromEntries(
    step.out.map((name) => [name, listOf(elements.map((outputs) => outputs[name] ?? nothing))]),
  );
}

async function nested(
  step: Step,
  lists: readonly (readonly Sym[])[],
  indexes: readonly number[],
  element: (indexes: readonly number[], label: string) => Promise<Readonly<Record<string, Sym>>>,
): Promise<Record<string, Sym>> {
  const elements: Readonly<Record<string, Sym>>[] = [];
  for (let index = 0; index < lists[indexes.length]!.length; index += 1) {
    const here = [...indexes, index];
    const last = here.length === lists.length;
    elements.push(
      last
        ? await element(here, here.map((one) => `[${one}]`).join(''))
        : await nested(step, lists, here, element),
    );
  }
  return gathered(step, elements);
}

function dotProduct(step: Step, lists: readonly (readonly Sym[])[]): number[][] {
  const lengths = lists.map((list) => list.length);
  if (lengths.some((length) => length !== lengths[0]))
    throw cwlErrors.CWL_SCATTER(
      step.name,
      `dotproduct needs lists of one length, not ${lengths.join(' and ')}`,
    );
  return lists[0]!.map((_, index) => lists.map(() => index));
}

function crossProduct(lists: readonly (readonly Sym[])[]): number[][] {
  return lists.reduce<number[][]>(
    (prefixes, list) => prefixes.flatMap((prefix) => list.map((_, index) => [...prefix, index])),
    [[]],
  );
}

async function lowerElement(
  context: LoweringContext,
  step: Step,
  raw: Raw,
  key: string,
  requirements: Requirements,
  version: CwlVersion,
): Promise<LoweredStep> {
  const expressions = step.in.flatMap(({ name, valueFrom }) =>
    valueFrom === undefined ? [] : [[name, valueFrom] as const],
  );
  const javascript = findRequirement(requirements, 'InlineJavascriptRequirement');
  const scope: Scope = {
    raw,
    valueFrom: Object.fromEntries(expressions),
    version,
    ...(javascript === undefined ? {} : { javascript }),
  };
  const allKnown = Object.values(raw).every(isLiteral);
  if (!allKnown && step.when !== undefined)
    return await growLater(context, { ...step, scatter: [] }, raw, key, requirements, version);
  const inputs: Record<string, Sym> = {};
  if (allKnown) {
    const values = await literalEvaluator(context).scopeValues(scope);
    for (const [name, lit] of Object.entries(values)) inputs[name] = { lit };
    if (step.when !== undefined) {
      const evaluator = await scopeEvaluator(scope, [step.when], context.trust);
      const condition = evaluator.evaluate(step.when, { inputs: withNames(values) as typeof values });
      if (typeof condition !== 'boolean') throw cwlErrors.CWL_CONDITION(step.name, describeValue(condition));
      if (!condition)
        return { outputs: Object.fromEntries(step.out.map((name) => [name, nothing])), skipped: step.when };
    }
  } else {
    for (const name of Object.keys(raw))
      inputs[name] = scope.valueFrom[name] === undefined ? raw[name]! : { in: { scope, name } };
  }
  return { outputs: await context.lowerProcess(context, step.run, inputs, key, requirements) };
}

function literalEvaluator(context: LoweringContext): SymbolEvaluator<NodeOutput, Scope> {
  const source = {
    output: (): never => {
      throw new Error('a literal refers to no node');
    },
    literal: (value: Json) => value,
    scope: (scope: Scope) => scope,
  };
  return new SymbolEvaluator(source, context.trust);
}

/** Keeps the step as a node that grows when its inputs are known. */
async function growLater(
  context: LoweringContext,
  step: Step,
  raw: Raw,
  key: string,
  requirements: Requirements,
  version: CwlVersion,
): Promise<LoweredStep> {
  const writer = new SpecWriter(context.origins);
  const { spec: job, identity } = writer.write(await digestSymbols(raw, context.digest));
  const { choices, trust } = context;
  context.nodes.push({
    key,
    name: key,
    type: nodeTypes.step,
    expands: true,
    parents: writer.parents,
    identity: { cwl: await stepIdentity(step, requirements, version, context), ...identity },
    spec: specJson({
      step,
      job,
      requirements,
      version,
      options: choices,
      ...(trust === undefined ? {} : { trust }),
    }),
    policy: { ...defaultPolicy, forced: choices.noReuse === true },
    result: false,
  });
  return { outputs: Object.fromEntries(step.out.map((output) => [output, { out: { node: key, output } }])) };
}
