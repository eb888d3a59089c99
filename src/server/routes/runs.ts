// Submitting, planning and looking at runs.

import { randomUUID } from 'node:crypto';
import type { Output } from '../../api/api.ts';
import type { runRoutes } from '../../api/contract/runs.ts';
import { VarveError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { RunListing } from '../../core/ports/listing.ts';
import { cancelRun } from '../../engine/cancel-run.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import { explainRun } from '../../engine/explain-run.ts';
import { repeatRun } from '../../engine/repeat-run.ts';
import { maySee, realmsFor, submissionKey, submitter, view, visibleRun } from '../caller.ts';
import { fromCursor, toCursor } from '../cursor.ts';
import { serverErrors } from '../error-codes.ts';
import { forceActions } from '../force-actions.ts';
import type { Handlers } from '../handlers.ts';
import { checkSubmission, loadSubmission } from '../inputs/load-submission.ts';
import { missingFilesOf } from '../inputs/missing-files.ts';
import { plannedActions } from '../planned-actions.ts';
import { problemItem } from '../problem-details.ts';
import { runGraph } from '../run-graph.ts';
import { farOutputs } from '../run-outputs.ts';
import { reportRun } from '../run-report.ts';

export const runHandlers: Handlers<typeof runRoutes> = {
  async submitRun(input, caller) {
    const { varve } = caller.site;
    const as = submitter(caller.access, input.project);
    const { workflow, source } = await loadSubmission(input, caller);
    const submitted = await varve.submit(forceActions(workflow, input.force ?? []), {
      as,
      submissionKey: submissionKey(caller.access, input.idempotencyKey),
      priority: input.priority,
      source,
      parameters: input.parameters as Readonly<Record<string, Json>> | undefined,
    });
    return { run: submitted.runId, repeated: submitted.repeated };
  },

  async planRun(input, caller) {
    const as = submitter(caller.access, input.project);
    const { workflow } = await loadSubmission(input, caller);
    const items = plannedActions(
      await caller.site.varve.plan(forceActions(workflow, input.force ?? []), { as }),
    );
    return { items };
  },

  async validateWorkflow(input, caller) {
    try {
      await checkSubmission(input, caller);
      return { problems: [], missingFiles: [] };
    } catch (error) {
      if (!(error instanceof VarveError) || error.kind === 'unavailable') throw error;
      const problems = error.problems.length > 0 ? error.problems : [error];
      return { problems: problems.map(problemItem), missingFiles: [...missingFilesOf(error)] };
    }
  },

  async listRuns(input, caller) {
    const { rows, next } = await view(caller).pageRuns({
      states: input.state,
      userName: input.user,
      realms: realmsFor(caller.access, input.project),
      name: input.name,
      search: input.search,
      from: input.from,
      until: input.until,
      before: fromCursor('runs', input.cursor),
      limit: input.limit ?? 50,
    });
    return { items: rows.map(summary), next: toCursor('runs', next) };
  },

  async getRun({ run: id }, caller) {
    const run = await visibleRun(caller, id);
    return { ...summary(run), ...(await reportRun(caller, run)) };
  },

  async getRunState({ run: id }, caller) {
    const run = await view(caller).runStanding(id);
    if (!run || !maySee(caller.access, run.realm)) throw engineErrors.RUN_NOT_FOUND(id);
    return { run: id, state: run.state, endedAt: run.endedAt, states: { ...run.actions } };
  },

  async getRunSource({ run: id }, caller) {
    await visibleRun(caller, id);
    const { source = null, parameters = null } = (await view(caller).runDocument(id)) ?? {};
    return { source, parameters: parameters === null ? null : JSON.parse(parameters) };
  },

  async getRunOutputs({ run: id }, caller) {
    const run = await visibleRun(caller, id);
    if (run.language !== 'cwl' || run.state !== 'SUCCEEDED') throw serverErrors.SUBMIT_NOT_CWL(id);
    return { outputs: await farOutputs(caller.site.varve, id) };
  },

  async getRunGraph({ run: id }, caller) {
    const run = await visibleRun(caller, id);
    return runGraph(view(caller), run.id);
  },

  async explainRun({ run: id, action }, caller) {
    const run = await visibleRun(caller, id);
    const items = await explainRun(view(caller), run.id, action);
    return {
      items: items.map(({ nearest, ...one }) => ({
        ...one,
        ...(nearest
          ? { nearest: { ...nearest, differences: nearest.differences.map((it) => ({ ...it })) } }
          : {}),
      })),
    };
  },

  async cancelRun({ run: id }, caller) {
    await visibleRun(caller, id);
    await cancelRun(caller.site.varve.engine.context, id);
    return { run: id, state: (await visibleRun(caller, id)).state };
  },

  async retryRun({ run: id, idempotencyKey }, caller) {
    return repeat(id, idempotencyKey, undefined, caller);
  },

  async rerunActions({ run: id, actions, idempotencyKey }, caller) {
    return repeat(id, idempotencyKey, actions, caller);
  },
};

async function repeat(
  id: number,
  key: string | undefined,
  force: readonly string[] | undefined,
  caller: Parameters<typeof visibleRun>[0],
): Promise<Output<'retryRun'>> {
  const run = await visibleRun(caller, id);
  const { userName } = submitter(caller.access, run.realm);
  const { runId, repeated } = await repeatRun(caller.site.varve.engine.context, id, {
    userName,
    submissionKey: submissionKey(caller.access, key) ?? randomUUID(),
    ...(force ? { force } : {}),
  });
  return { run: runId, repeated };
}

function summary(run: RunListing): Output<'listRuns'>['items'][number] {
  const { id, name, language, state, userName, realm, priority, submittedAt, endedAt, retryOf } = run;
  return {
    run: id,
    name,
    language,
    state,
    user: userName,
    project: realm,
    priority,
    submittedAt,
    endedAt,
    retryOf,
  };
}
