// The text under which a node is kept in the rows of its action and its dataset. A large run keeps very many: what the defaults say, and
// an identity that is the spec itself, are left out.
import type { JsonObject } from './json.ts';
import { defaultPolicy, type NodeDefinition, type NodePolicy, type ParentLink } from './workflow.ts';

interface KeptNode {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly parents?: readonly ParentLink[] | undefined;
  readonly spec: JsonObject;
  readonly identity?: JsonObject | undefined;
  readonly policy?: NodePolicy | undefined;
  readonly expands?: true | undefined;
  readonly result?: true | undefined;
}

export function nodeText(node: NodeDefinition): string {
  const kept: KeptNode = {
    key: node.key,
    name: node.name,
    type: node.type,
    parents: node.parents.length === 0 ? undefined : node.parents,
    spec: node.spec,
    identity: node.identity === node.spec ? undefined : node.identity,
    policy: node.policy === defaultPolicy ? undefined : node.policy,
    expands: node.expands || undefined,
    result: node.result || undefined,
  };
  return JSON.stringify(kept);
}

export function readNode(text: string): NodeDefinition {
  const kept = JSON.parse(text) as KeptNode;
  return {
    key: kept.key,
    name: kept.name,
    type: kept.type,
    expands: kept.expands ?? false,
    parents: kept.parents ?? [],
    identity: kept.identity ?? kept.spec,
    spec: kept.spec,
    policy: kept.policy ?? defaultPolicy,
    result: kept.result ?? false,
  };
}
