// `varve run` and `cwl-runner` for CWL documents.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Api } from '../../api/api.ts';
import { makeTemplate, printDeps, refuseCrateFolder, toolHelp } from '../../languages/cwl/index.ts';
import { forceActions } from '../../server/force-actions.ts';
import { plannedActions } from '../../server/planned-actions.ts';
import type { CommandContext } from '../command.ts';
import type { CommandRun } from '../command-table.ts';
import { withContainer } from '../container-choice.ts';
import { followRun } from '../follow-run.ts';
import { renderPlan } from '../render-plan.ts';
import { reportProblems } from '../report-problems.ts';
import { withSession } from '../session.ts';
import { describeRun } from './describe-run.ts';
import { type CwlRequest, readDocument, readRequest } from './read-request.ts';
import { sendCwl } from './send-cwl.ts';

type RunInvocation = Parameters<CommandRun<'run'>>[0];

export async function runCwl(invocation: RunInvocation, context: CommandContext): Promise<number> {
  const { options, arguments: given, rest } = invocation;
  const { output } = context;
  const program = `varve run ${given.workflow}`;
  if (options.validate) return reportProblems([given.workflow], context);
  if (options['print-deps'] || options['make-template'] || options['tool-help']) {
    const document = await readDocument(given.workflow, context);
    if (options['print-deps']) output.print(JSON.stringify(printDeps(document), null, 4));
    else if (options['make-template']) output.print(makeTemplate(document.process).trimEnd());
    else output.print(toolHelp(document.process, program));
    return 0;
  }
  const words = {
    document: given.workflow,
    jobFile: given.inputs,
    named: options.input,
    flags: rest,
    basedir: options.basedir,
  };
  const request = await readRequest(words, context);
  const { document, job } = request;
  if (request.help) {
    output.print(toolHelp(document.process, program));
    return 0;
  }
  const crate = options.provenance && resolve(context.environment.workingFolder, options.provenance);
  if (crate !== undefined) refuseCrateFolder(crate);
  return withSession(withContainer(context, options), async (session) => {
    const { varve } = session;
    const near =
      varve &&
      forceActions(await varve.cwl.workflow(document, job, { noReuse: options['no-reuse'] }), options.force);
    const sent = near ? undefined : await farSubmission(session.api, request, options);
    if (options['dry-run']) {
      const items = near ? plannedActions(await varve.plan(near)) : (await session.api.planRun(sent!)).items;
      renderPlan(items, output);
      return 0;
    }
    const runId = near
      ? (await varve.submit(near, { priority: options.priority, source: document.text, parameters: job.job }))
          .runId
      : (await session.api.submitRun({ ...sent!, priority: options.priority, idempotencyKey: randomUUID() }))
          .run;
    if (options.detach) {
      output.result({ run: runId }, () => `run ${runId} submitted; see it with: varve show ${runId}`);
      return 0;
    }
    const exitCode = await followRun(session, runId, { outdir: options.outdir }, context);
    if (crate !== undefined) await describeRun(session, runId, { document, job, folder: crate }, context);
    return exitCode;
  });
}

async function farSubmission(api: Api, request: CwlRequest, options: RunInvocation['options']) {
  return {
    ...(await sendCwl(api, request)),
    ...(options['no-reuse'] ? { noReuse: true } : {}),
    ...(options.force.length === 0 ? {} : { force: [...options.force] }),
  };
}
