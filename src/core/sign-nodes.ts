// Signs the nodes of a graph, parents first, without recursion: chains of a hundred thousand are no problem.
import { logicalSignature, type ParentIdentity, type SignedDefinition } from './signature.ts';
import type { NodeDefinition } from './workflow.ts';

/** A node whose parents before `next` are signed. */
interface Visit {
  readonly node: NodeDefinition;
  next: number;
}

/**
 * Logical signature and canonical definition of every node. `known` gives the signatures of nodes outside the list. Throws if
 * a parent is unknown or the nodes form a cycle; languages check both with better messages.
 */
export function signNodes(
  nodes: readonly NodeDefinition[],
  known: (key: string) => string | undefined = () => undefined,
): Map<string, SignedDefinition> {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const signed = new Map<string, SignedDefinition>();
  const path: Visit[] = [];
  const onPath = new Set<string>();
  for (const start of nodes) {
    if (signed.has(start.key)) continue;
    path.push({ node: start, next: 0 });
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const { node } = visit;
      const parent = nextUnsigned(visit, byKey, signed);
      if (parent === undefined) {
        signed.set(node.key, logicalSignature(node.identity, parentsOf(node, signed, known)));
        onPath.delete(node.key);
        path.pop();
      } else {
        onPath.add(node.key);
        if (onPath.has(parent.key)) throw new Error('the nodes form a cycle');
        path.push({ node: parent, next: 0 });
      }
    }
  }
  return signed;
}

function nextUnsigned(
  visit: Visit,
  byKey: ReadonlyMap<string, NodeDefinition>,
  signed: ReadonlyMap<string, SignedDefinition>,
): NodeDefinition | undefined {
  const { parents } = visit.node;
  for (; visit.next < parents.length; visit.next++) {
    const { key } = parents[visit.next] as { key: string };
    if (!signed.has(key) && byKey.has(key)) return byKey.get(key);
  }
  return undefined;
}

function parentsOf(
  node: NodeDefinition,
  signed: ReadonlyMap<string, SignedDefinition>,
  known: (key: string) => string | undefined,
): ParentIdentity[] {
  const parents: ParentIdentity[] = [];
  node.parents.forEach((link, position) => {
    const key = signed.get(link.key)?.signature ?? known(link.key);
    if (key === undefined) throw new Error(`node ${node.key} has the unknown parent ${link.key}`);
    if (link.signed !== false) parents.push({ slot: link.slot, position, key });
  });
  return parents;
}
