// A workflow with symbolic inputs becomes the nodes of its steps, in an order in which every step comes after those it needs. Inner
// workflows are inlined, so that each of their steps waits for no more than it uses.
import type { Json } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { shortName } from '../load/uri.ts';
import type { Link, LinkSource, Process, Step, Workflow } from '../model/process.ts';
import { findRequirement, nestRequirements, type Requirements } from '../model/requirement.ts';
import { applyLoads } from './evaluate-symbols.ts';
import { pickFrom } from './link-operations.ts';
import { lowerStep } from './lower-step.ts';
import { lowerTool } from './lower-tool.ts';
import type { LoweringContext } from './lowering-context.ts';
import { flatten, isLiteral, type Loads, listOf, nothing, type Sym, withDefault } from './symbol.ts';

/** Inserts the nodes of a process and returns its outputs. */
export async function lowerProcess(
  context: LoweringContext,
  process: Process,
  inputs: Readonly<Record<string, Sym>>,
  key: string,
  outer: Requirements,
): Promise<Record<string, Sym>> {
  if (process.class === 'Workflow') return await lowerWorkflow(context, process, inputs, key, outer);
  if (process.class === 'Operation') throw cwlErrors.CWL_OPERATION(shortName(process.id));
  return await lowerTool(context, process, inputs, key, outer);
}

async function lowerWorkflow(
  context: LoweringContext,
  workflow: Workflow,
  inputs: Readonly<Record<string, Sym>>,
  key: string,
  outer: Requirements,
): Promise<Record<string, Sym>> {
  const requirements = nestRequirements(outer, workflow);
  const known = new Map<string, Sym>();
  for (const input of workflow.inputs) {
    const value = withDefault(inputs[input.name] ?? nothing, input.default);
    known.set(input.name, loaded(value, { ...input, version: workflow.cwlVersion }));
  }
  const updates: InplaceUpdate[] = [];
  for (const step of inOrder(workflow)) {
    const stepKey = key === '' ? step.name : `${key}/${step.name}`;
    const before = ancestors(step, workflow);
    const raw: Record<string, Sym> = {};
    for (const input of step.in) {
      const sources = input.link.sources.map((source) => current(source, known, updates, before));
      const value = withDefault(linked(input.link, sources, `${step.name}/${input.name}`), input.default);
      raw[input.name] = loaded(value, { ...input, version: workflow.cwlVersion });
    }
    const scope = nestRequirements(requirements, step);
    const { outputs } = await lowerStep(context, step, raw, stepKey, scope, workflow.cwlVersion);
    for (const name of step.out) known.set(`${step.name}/${name}`, outputs[name] ?? nothing);
    noteUpdates(step, raw, outputs, scope, updates);
  }
  return Object.fromEntries(
    workflow.outputs.map((output) => {
      const sources = output.link.sources.map((source) => known.get(linkName(source)) ?? nothing);
      return [output.name, linked(output.link, sources, output.name)];
    }),
  );
}

function linkName(source: LinkSource): string {
  return 'input' in source ? source.input : `${source.step}/${source.output}`;
}

/** What arrives through a link. */
function linked(link: Link, sources: readonly Sym[], name: string): Sym {
  if (sources.length === 0) return nothing;
  const merges = sources.length > 1 || link.linkMerge !== undefined;
  const merged = !merges
    ? sources[0]!
    : link.linkMerge === 'merge_flattened'
      ? flatten(sources)
      : listOf(sources);
  if (link.pickValue === undefined) return merged;
  if (isLiteral(merged)) return { lit: pickFrom(merged.lit, link.pickValue, name) };
  return { pick: { how: link.pickValue, of: merged, name } };
}

function loaded(sym: Sym, { loadContents, loadListing, version }: Loads): Sym {
  if (loadContents !== true && loadListing === undefined) return sym;
  const loads: Loads = {
    version,
    ...(loadContents ? { loadContents } : {}),
    ...(loadListing ? { loadListing } : {}),
  };
  return isLiteral(sym) ? { lit: applyLoads(sym.lit, loads) as Json } : { load: { of: sym, loads } };
}

/** The steps so that each comes after those whose outputs it uses. */
function inOrder(workflow: Workflow): Step[] {
  const steps = new Map(workflow.steps.map((step) => [step.name, step]));
  const ordered = new Set<Step>();
  const visit = (step: Step): void => {
    if (ordered.has(step)) return;
    for (const name of directly(step)) {
      const other = steps.get(name);
      if (other !== undefined && !ordered.has(other)) visit(other);
    }
    ordered.add(step);
  };
  for (const step of workflow.steps) visit(step);
  return [...ordered];
}

function directly(step: Step): string[] {
  return step.in
    .flatMap(({ link }) => link.sources)
    .flatMap((source) => ('step' in source ? [source.step] : []));
}

/** A step changed a file in place: whoever comes after it sees the new state. */
interface InplaceUpdate {
  readonly by: string;
  readonly old: string;
  readonly now: Sym;
}

function noteUpdates(
  step: Step,
  raw: Readonly<Record<string, Sym>>,
  outputs: Readonly<Record<string, Sym>>,
  requirements: Requirements,
  updates: InplaceUpdate[],
): void {
  if (step.scatter.length > 0 || step.run.class !== 'CommandLineTool') return;
  if (findRequirement(nestRequirements(requirements, step.run), 'InplaceUpdateRequirement') === undefined)
    return;
  for (const [name, old] of Object.entries(raw)) {
    const now = outputs[`inplace:${name}`];
    if (now !== undefined) updates.push({ by: step.name, old: JSON.stringify(old), now });
  }
}

function current(
  source: LinkSource,
  known: ReadonlyMap<string, Sym>,
  updates: readonly InplaceUpdate[],
  before: () => ReadonlySet<string>,
): Sym {
  let value = known.get(linkName(source)) ?? nothing;
  for (const { by, old, now } of updates) if (before().has(by) && JSON.stringify(value) === old) value = now;
  return value;
}

function ancestors(step: Step, workflow: Workflow): () => ReadonlySet<string> {
  let found: Set<string> | undefined;
  return () => {
    if (found !== undefined) return found;
    found = new Set(directly(step));
    for (const name of found) {
      const other = workflow.steps.find((one) => one.name === name);
      for (const further of other === undefined ? [] : directly(other)) found.add(further);
    }
    return found;
  };
}
