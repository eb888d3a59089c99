// Signs the nodes of a graph, parents first, without recursion: chains of a hundred thousand are no problem.
import { logicalSignature, type ParentIdentity, type SignedDefinition } from './signature.ts';
import type { NodeDefinition, ParentLink } from './workflow.ts';

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
  const signed = new Map<string, SignedDefinition>();
  const sign = (node: NodeDefinition): void => {
    signed.set(node.key, logicalSignature(node.identity, parentsOf(node, signed, known)));
  };
  // Made at the first node that is listed before one of its parents; most documents have none.
  let byKey: ReadonlyMap<string, NodeDefinition> | undefined;
  for (const node of nodes) {
    if (signed.has(node.key)) continue;
    if (node.parents.some(({ key }) => !signed.has(key))) {
      byKey ??= new Map(nodes.map((other) => [other.key, other]));
      signAncestors(node, byKey, signed, sign);
    }
    sign(node);
  }
  return signed;
}

/** Signs everything above a node. */
function signAncestors(
  start: NodeDefinition,
  byKey: ReadonlyMap<string, NodeDefinition>,
  signed: ReadonlyMap<string, SignedDefinition>,
  sign: (node: NodeDefinition) => void,
): void {
  const path: Visit[] = [{ node: start, next: 0 }];
  const onPath = new Set([start.key]);
  for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
    const parent = nextUnsigned(visit, byKey, signed);
    if (parent !== undefined) {
      if (onPath.has(parent.key)) throw new Error('the nodes form a cycle');
      onPath.add(parent.key);
      path.push({ node: parent, next: 0 });
      continue;
    }
    path.pop();
    onPath.delete(visit.node.key);
    if (visit.node !== start) sign(visit.node);
  }
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
  for (let position = 0; position < node.parents.length; position++) {
    const link = node.parents[position] as ParentLink;
    const key = signed.get(link.key)?.signature ?? known(link.key);
    if (key === undefined) throw new Error(`node ${node.key} has the unknown parent ${link.key}`);
    if (link.signed !== false) parents.push({ slot: link.slot, position, key });
  }
  return parents;
}
