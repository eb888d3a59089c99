// Submits a workflow: signs its nodes, looks at what is stored, plans, and writes run, actions, datasets and edges in one
// transaction. The files of what would be reused are looked at before, outside the transaction: a missing file is a miss.
import type { MoveContext, StoreTransaction, StoreView } from '../core/ports/store.ts';
import { type Decision, planReuse } from '../core/reuse-planner.ts';
import type { SignedDefinition } from '../core/signature.ts';
import type { WorkflowDefinition } from '../core/workflow.ts';
import { applyPlan } from './apply-plan.ts';
import { closeRuns } from './close-runs.ts';
import { by, type EngineContext } from './engine-context.ts';
import { currentRows, type GatheredFacts, gatherFacts } from './gather-facts.ts';
import { holdPlanned, reusedFacts } from './hold-planned.ts';
import { type LostFiles, loseDatasets } from './lose-datasets.ts';
import { type GraphNode, newGraph } from './plan-graph.ts';

export interface Submission {
  readonly workflow: WorkflowDefinition;
  readonly userName: string;
  /** Where new datasets belong; equal work is shared within a realm. */
  readonly realm: string;
  /** Realms whose datasets the submitter may read, `realm` included (I9). */
  readonly readable: readonly string[];
  /** Makes a repeated submission harmless: the same key gives the same run (I8). */
  readonly submissionKey: string;
  readonly priority?: number;
  readonly source?: string | undefined;
  readonly parameters?: string | undefined;
  readonly retryOf?: number | undefined;
  /** Signatures that are known from elsewhere and count instead of those that the nodes would get. */
  readonly signed?: ReadonlyMap<string, SignedDefinition> | undefined;
}

/** A larger plan asks for itself. */
const mostAsked = 1_000;

export interface RunPlan {
  readonly graph: readonly GraphNode[];
  readonly decisions: readonly Decision[];
}

export interface SubmittedRun extends RunPlan {
  readonly runId: number;
  /** True when the submission key was known already. */
  readonly repeated: boolean;
}

/** The plan that a submission would get now; changes nothing. */
export async function planRun(context: EngineContext, submission: Submission): Promise<RunPlan> {
  const graph = newGraph(submission.workflow.nodes, submission.signed);
  const { decisions } = await lookAhead(context, graph, submission);
  return { graph, decisions };
}

export async function submitRun(context: EngineContext, submission: Submission): Promise<SubmittedRun> {
  const graph = newGraph(submission.workflow.nodes, submission.signed);
  const ahead = await lookAhead(context, graph, submission);
  const open = openSignatures(graph, ahead.decisions);
  const write = async (tx: StoreTransaction): Promise<SubmittedRun> => {
    await tx.lockPlanning();
    // Asked together, so that both questions travel as one.
    const [known, holds] = await Promise.all([
      tx.runBySubmission(submission.submissionKey),
      ahead.vanished.length === 0 && stillHolds(tx, open, submission, ahead),
    ]);
    if (known) return { runId: known.id, repeated: true, graph, decisions: [] };
    const decisions = await decideAndHold(tx, graph, submission, ahead, holds, by(context));
    const runId = await tx.nextIds('run', 1);
    const priority = submission.priority ?? 0;
    await tx.insertRun({
      id: runId,
      state: 'RUNNING',
      name: submission.workflow.name,
      language: submission.workflow.language,
      userName: submission.userName,
      realm: submission.realm,
      failurePolicy: submission.workflow.failurePolicy,
      priority,
      submissionKey: submission.submissionKey,
      source: submission.source ?? null,
      parameters: submission.parameters ?? null,
      retryOf: submission.retryOf ?? null,
      submittedAt: context.clock.now(),
      endedAt: null,
      error: null,
      summary: null,
    });
    const detail = { name: submission.workflow.name, actions: graph.length };
    await tx.note('run', runId, runId, 'submit', detail, by(context));
    await applyPlan(tx, { runId, realm: submission.realm, priority }, graph, decisions, by(context));
    // A run that has something to compute has not ended.
    if (!decisions.some((decision) => decision.do === 'compute')) await closeRuns(tx, [runId], by(context));
    return { runId, repeated: false, graph, decisions };
  };
  const asks = { submissionKey: submission.submissionKey, signatures: open };
  return context.store.write(write, {
    planning: true,
    ...(open.length <= mostAsked ? { asks } : {}),
  });
}

/** Signatures of the nodes for which nothing is reused. */
function openSignatures(graph: readonly GraphNode[], decisions: readonly Decision[]): string[] {
  const signatures: string[] = [];
  decisions.forEach((decision, i) => {
    if (decision.do !== 'reuse' && decision.do !== 'reuse-members' && decision.do !== 'leave')
      signatures.push((graph[i] as GraphNode).signature);
  });
  return signatures;
}

async function decideGraph(
  view: StoreView,
  graph: readonly GraphNode[],
  submission: Submission,
  vanished: ReadonlySet<number>,
): Promise<{ decisions: Decision[]; facts: GatheredFacts }> {
  const facts = await gatherFacts(view, graph, realmsOf(submission), vanished);
  const wanted: number[] = [];
  graph.forEach((node, i) => {
    if (node.result || node.forced || !node.managed) wanted.push(i);
  });
  return { decisions: planReuse(graph, wanted, facts), facts };
}

/** The submitter's own realm comes first. */
function realmsOf({ realm, readable }: Submission): string[] {
  return [realm, ...readable.filter((other) => other !== realm)];
}

/**
 * Decides inside the transaction and locks what is to be reused. The plan made ahead is kept if nothing that it depends on has
 * changed since; otherwise, and when a dataset slips away between the look and the lock, it is made again.
 */
async function decideAndHold(
  tx: StoreTransaction,
  graph: readonly GraphNode[],
  submission: Submission,
  ahead: LookAhead,
  holds: boolean,
  context: MoveContext,
): Promise<readonly Decision[]> {
  if (holds && (await holdPlanned(tx, graph, ahead.decisions, context.at))) return ahead.decisions;
  // Whoever else holds what has vanished learns it now, too.
  const lost =
    ahead.vanished.length > 0 ? await loseDatasets(tx, ahead.vanished, context) : new Set<number>();
  for (;;) {
    const { decisions } = await decideGraph(tx, graph, submission, lost);
    if (await holdPlanned(tx, graph, decisions, context.at)) return decisions;
  }
}

/** What is reused is checked by its lock; what is not must still be as it was. */
async function stillHolds(
  tx: StoreTransaction,
  open: readonly string[],
  submission: Submission,
  { facts }: LookAhead,
): Promise<boolean> {
  if (open.length === 0) return true;
  const realms = realmsOf(submission);
  const rows = currentRows(await tx.datasetFacts(open, realms), realms, new Set());
  for (const signature of open) {
    const before = facts.bySignature(signature);
    const now = rows.get(signature);
    if (before?.id !== now?.id || before?.state !== now?.state) return false;
    if ((before?.removing ?? false) !== ((now?.removalBeganAt ?? null) !== null)) return false;
  }
  return true;
}

interface LookAhead {
  readonly decisions: readonly Decision[];
  readonly facts: GatheredFacts;
  readonly vanished: readonly LostFiles[];
}

/** Plans outside any transaction, and looks whether the files of what would be reused are there; without them it is a miss. */
async function lookAhead(
  context: EngineContext,
  graph: readonly GraphNode[],
  submission: Submission,
): Promise<LookAhead> {
  const vanished: LostFiles[] = [];
  for (;;) {
    const ids = new Set(vanished.map(({ id }) => id));
    const { decisions, facts } = await decideGraph(context.store.view, graph, submission, ids);
    const rows = [...reusedFacts(decisions).keys()].flatMap((id) => facts.row(id) ?? []);
    const located = rows.filter((row) => row.location !== null);
    const states = await context.storage.inspectMany(located.map((row) => row.location as string));
    const missing = located.filter((_, i) => states[i] === 'missing');
    if (missing.length === 0) return { decisions, facts, vanished };
    vanished.push(...missing);
  }
}
