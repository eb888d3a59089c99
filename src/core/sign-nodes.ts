// Signs the nodes of a graph in topological order, without recursion: chains of a hundred thousand are no problem.
import { logicalSignature, type SignedDefinition } from './signature.ts';
import type { NodeDefinition } from './workflow.ts';

/**
 * Logical signature and canonical definition of every node. `known` gives the signatures of nodes outside the list. Throws if
 * a parent is unknown or the nodes form a cycle; languages check both with better messages.
 */
export function signNodes(
  nodes: readonly NodeDefinition[],
  known: (key: string) => string | undefined = () => undefined,
): Map<string, SignedDefinition> {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const missing = new Map<string, number>();
  const children = new Map<string, string[]>();
  const ready: NodeDefinition[] = [];
  for (const node of nodes) {
    let waiting = 0;
    for (const { key } of node.parents) {
      if (!byKey.has(key)) continue;
      waiting += 1;
      const list = children.get(key);
      if (list) list.push(node.key);
      else children.set(key, [node.key]);
    }
    missing.set(node.key, waiting);
    if (waiting === 0) ready.push(node);
  }
  const signed = new Map<string, SignedDefinition>();
  for (let head = 0; head < ready.length; head++) {
    const node = ready[head] as NodeDefinition;
    const parents = node.parents.flatMap((link, position) => {
      const key = signed.get(link.key)?.signature ?? known(link.key);
      if (key === undefined) throw new Error(`node ${node.key} has the unknown parent ${link.key}`);
      return link.signed === false ? [] : [{ slot: link.slot, position, key }];
    });
    signed.set(node.key, logicalSignature(node.identity, parents));
    for (const child of children.get(node.key) ?? []) {
      const left = (missing.get(child) as number) - 1;
      missing.set(child, left);
      if (left === 0) ready.push(byKey.get(child) as NodeDefinition);
    }
  }
  if (signed.size !== byKey.size) throw new Error('the nodes form a cycle');
  return signed;
}
