// Forcing: chosen actions of a workflow are computed again even if their datasets are stored.
import type { WorkflowDefinition } from '../core/workflow.ts';
import { serverErrors } from './error-codes.ts';

export function forceActions(workflow: WorkflowDefinition, forced: readonly string[]): WorkflowDefinition {
  if (forced.length === 0) return workflow;
  const keys = new Set(forced);
  const known = new Set(workflow.nodes.map((node) => node.key));
  for (const key of keys) if (!known.has(key)) throw serverErrors.SUBMIT_ACTION_UNKNOWN(key);
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) =>
      keys.has(node.key) ? { ...node, policy: { ...node.policy, forced: true } } : node,
    ),
  };
}
