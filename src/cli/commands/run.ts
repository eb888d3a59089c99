// `varve run`: loads, plans and runs a workflow.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import type { CommandRun } from '../command-table.ts';
import { withContainer } from '../container-choice.ts';
import { cliErrors } from '../error-codes.ts';
import { followRun } from '../follow-run.ts';
import { rejectRest } from '../parse-command-line.ts';
import { recognizeLanguage } from '../recognize-language.ts';
import { renderPlan } from '../render-plan.ts';
import { reportProblems } from '../report-problems.ts';
import { withSession } from '../session.ts';
import { documentFields, withFiles } from '../submit-workflow.ts';

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
  if (options.validate) return reportProblems([given.workflow], context);
  const document = { path: given.workflow, text: found.text };
  const submission = {
    ...documentFields(document),
    parameters: { ...(await fileParameters(given.inputs)), ...flagParameters(options.input) },
    parametersFolder: given.inputs ? dirname(resolve(given.inputs)) : process.cwd(),
    ...(options.force.length === 0 ? {} : { force: [...options.force] }),
  };
  return withSession(withContainer(context, options), async (session) => {
    const { api } = session;
    if (options['dry-run']) {
      const { items } = await withFiles(session, document, (files) =>
        api.planRun({ ...submission, ...files }),
      );
      renderPlan(items, context.output);
      return 0;
    }
    const { priority } = options;
    const idempotencyKey = randomUUID();
    const { run } = await withFiles(session, document, (files) =>
      api.submitRun({ ...submission, ...files, priority, idempotencyKey }),
    );
    if (options.detach) {
      context.output.result({ run }, () => `run ${run} submitted; see it with: varve show ${run}`);
      return 0;
    }
    return followRun(session, run, { outdir: options.outdir }, context);
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
