// Runs again what a run did. A retry of a failed or cancelled run is a new run of the same workflow: what was finished is reused, so it goes
// on from where it failed. A re-run forces chosen actions; what is below them follows when the bytes change.
import { readNode } from '../core/node-text.ts';
import type { NodeDefinition, WorkflowDefinition } from '../core/workflow.ts';
import type { EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';
import { requireDetails } from './run-details.ts';
import { type SubmittedRun, submitRun } from './submit-run.ts';

export interface RepeatRequest {
  readonly userName: string;
  readonly submissionKey: string;
  /** Keys of actions to compute again even though their datasets are stored. */
  readonly force?: readonly string[];
}

export async function repeatRun(
  context: EngineContext,
  runId: number,
  request: RepeatRequest,
): Promise<SubmittedRun> {
  const [run] = await context.store.view.runs([runId]);
  if (!run) throw engineErrors.RUN_NOT_FOUND(runId);
  if (run.endedAt === null) throw engineErrors.RUN_NOT_ENDED(runId);
  await requireDetails(context.store.view, runId);
  const document = await context.store.view.runDocument(runId);
  const actions = await context.store.view.actionsOfRun(runId);
  const forced = new Set(request.force ?? []);
  for (const key of forced) {
    if (!actions.some((action) => action.key === key)) throw engineErrors.ACTION_NOT_FOUND(runId, key);
  }
  // What grew out of an action grows again; only what was submitted is submitted.
  const nodes = actions
    .filter((action) => action.grownFrom === null)
    .map((action) => withForce(readNode(action.node), forced));
  const workflow: WorkflowDefinition = {
    name: run.name,
    language: run.language,
    failurePolicy: run.failurePolicy as WorkflowDefinition['failurePolicy'],
    nodes,
  };
  return submitRun(context, {
    workflow,
    userName: request.userName,
    realm: run.realm,
    readable: [run.realm],
    submissionKey: request.submissionKey,
    priority: run.priority,
    source: document?.source ?? undefined,
    parameters: document?.parameters ?? undefined,
    retryOf: runId,
  });
}

function withForce(node: NodeDefinition, forced: ReadonlySet<string>): NodeDefinition {
  return forced.has(node.key) ? { ...node, policy: { ...node.policy, forced: true } } : node;
}
