// `--force`: chosen actions of a workflow are computed again even if their datasets are stored.
import type { WorkflowDefinition } from '../core/workflow.ts';
import { cliErrors } from './error-codes.ts';

export function forceActions(workflow: WorkflowDefinition, forced: readonly string[]): WorkflowDefinition {
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
