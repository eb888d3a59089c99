// `varve run`: loads, plans and runs a workflow.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import type { WorkflowDefinition } from '../../core/workflow.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { followRun } from '../follow-run.ts';
import { renderPlan } from '../render-plan.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'run'> = async (invocation, context) => {
  const { options, arguments: given } = invocation;
  const text = await readFile(given.workflow, 'utf8');
  const parameters = { ...(await fileParameters(given.inputs)), ...flagParameters(options.input) };
  return withVarve(context, async (varve) => {
    const loaded = await varve.load(
      { path: given.workflow, text },
      { parameters, parametersFolder: given.inputs ? dirname(resolve(given.inputs)) : process.cwd() },
    );
    const workflow = withForce(loaded, options.force);
    if (options['dry-run']) {
      const plan = await varve.plan(workflow);
      renderPlan(plan, context.output);
      return 0;
    }
    const { runId } = await varve.submit(workflow, { priority: options.priority, source: text, parameters });
    if (options.detach) {
      context.output.result({ run: runId }, () => `run ${runId} submitted; see it with: varve show ${runId}`);
      return 0;
    }
    return followRun(varve, runId, { outdir: options.outdir }, context);
  });
};

async function fileParameters(path: string | undefined): Promise<JsonObject> {
  if (path === undefined) return {};
  const { parse: parseYaml } = await import('yaml');
  const value: unknown = parseYaml(await readFile(path, 'utf8'), { maxAliasCount: 100 });
  if (!isObject(value)) throw cliErrors.CLI_INPUTS_FILE(path);
  return value;
}

function flagParameters(flags: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    flags.map((flag) => {
      const at = flag.indexOf('=');
      if (at <= 0) throw cliErrors.CLI_INPUT_FLAG(flag);
      return [flag.slice(0, at), flag.slice(at + 1)];
    }),
  );
}

function withForce(workflow: WorkflowDefinition, forced: readonly string[]): WorkflowDefinition {
  if (forced.length === 0) return workflow;
  const keys = new Set(forced);
  for (const key of keys) {
    if (!workflow.nodes.some((node) => node.key === key)) throw cliErrors.CLI_NO_SUCH_ACTION(key);
  }
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) =>
      keys.has(node.key) ? { ...node, policy: { ...node.policy, forced: true } } : node,
    ),
  };
}
