// What of a step that is still to grow decides what it makes: its process, whatever it contains, and its own scatter and condition.
import type { Json, JsonObject } from '../../../core/json.ts';
import type { CwlVersion, Process, Step } from '../model/process.ts';
import { findRequirement, nestRequirements, type Requirements } from '../model/requirement.ts';
import { contentIdentity, withDigests } from './content-identity.ts';
import type { LoweringContext } from './lowering-context.ts';
import { toolIdentity } from './tool-identity.ts';

export async function stepIdentity(
  step: Step,
  requirements: Requirements,
  version: CwlVersion,
  context: LoweringContext,
): Promise<JsonObject> {
  const identity: Record<string, Json> = {
    version,
    in: step.in.map(({ name, valueFrom }) => [name, valueFrom ?? null]),
    out: step.out,
    scatter: step.scatter,
    scatterMethod: step.scatterMethod,
    run: await processIdentity(step.run, requirements, context),
  };
  if (step.when !== undefined) identity.when = step.when;
  const javascript = findRequirement(requirements, 'InlineJavascriptRequirement');
  if (javascript !== undefined) identity.lib = javascript.expressionLib;
  return identity;
}

async function processIdentity(
  process: Process,
  outer: Requirements,
  context: LoweringContext,
): Promise<Json> {
  const nested = nestRequirements(outer, process);
  const requirements = (await withDigests(
    nested as unknown as Json,
    context.digest,
  )) as unknown as Requirements;
  const defaults = await withDigests(
    process.inputs.map(({ name, default: value }) => [name, value ?? null]),
    context.digest,
  );
  if (process.class === 'Operation') return { class: process.class };
  if (process.class !== 'Workflow')
    return { tool: toolIdentity(process, requirements), defaults: contentIdentity(defaults) };
  const steps: Json[] = [];
  for (const step of process.steps) {
    const inner = await stepIdentity(step, nestRequirements(requirements, step), process.cwlVersion, context);
    const links = await withDigests(step.in as unknown as Json, context.digest);
    steps.push({ name: step.name, links: contentIdentity(links), step: inner });
  }
  return {
    inputs: process.inputs.map(
      ({ label: _label, doc: _doc, default: _default, ...input }) => input,
    ) as unknown as Json,
    defaults: contentIdentity(defaults),
    outputs: process.outputs.map(({ name, link }) => ({ name, link })) as unknown as Json,
    steps,
  };
}
