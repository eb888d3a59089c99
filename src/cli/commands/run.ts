// `varve run`: loads, plans and runs a workflow.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import type { CommandRun } from '../command-table.ts';
import { withContainer } from '../container-choice.ts';
import { cliErrors } from '../error-codes.ts';
import { followRun } from '../follow-run.ts';
import { forceActions } from '../force-actions.ts';
import { rejectRest } from '../parse-command-line.ts';
import { recognizeLanguage } from '../recognize-language.ts';
import { renderPlan } from '../render-plan.ts';
import { reportProblems } from '../report-problems.ts';
import { withVarve } from '../session.ts';

/** What Varve documents have no use for. */
const cwlOnly = ['basedir', 'provenance', 'no-reuse', 'make-template', 'print-deps', 'tool-help'] as const;

export const run: CommandRun<'run'> = async (invocation, context) => {
  const { options, arguments: given } = invocation;
  const found = await recognizeLanguage(given.workflow);
  if (found.language === 'cwl') {
    const { runCwl } = await import('../cwl/run-cwl.ts');
    return runCwl(invocation, context);
  }
  rejectRest('run', invocation.rest);
  for (const name of cwlOnly) if (options[name]) throw cliErrors.CLI_CWL_ONLY(name, given.workflow);
  const { text } = found;
  if (options.validate) return reportProblems([given.workflow], context);
  const parameters = { ...(await fileParameters(given.inputs)), ...flagParameters(options.input) };
  return withVarve(withContainer(context, options), async (varve) => {
    const loaded = await varve.load(
      { path: given.workflow, text },
      { parameters, parametersFolder: given.inputs ? dirname(resolve(given.inputs)) : process.cwd() },
    );
    const workflow = forceActions(loaded, options.force);
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
