// Nodes that no other node waits for.
import type { NodeDefinition } from '../../../core/workflow.ts';

export function unusedNodes(nodes: readonly NodeDefinition[]): string[] {
  const used = new Set(nodes.flatMap((node) => node.parents.map((link) => link.key)));
  return nodes.map((node) => node.key).filter((key) => !used.has(key));
}
