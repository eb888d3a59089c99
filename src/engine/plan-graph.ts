// The graph that is planned: node definitions with their signatures and, when the run is under way already, their actions.
import { readNode } from '../core/node-text.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { PlanLink, PlanNode } from '../core/reuse-planner.ts';
import type { ActionRow } from '../core/rows.ts';
import { signNodes } from '../core/sign-nodes.ts';
import { logicalSignature, type SignedDefinition } from '../core/signature.ts';
import type { NodeDefinition } from '../core/workflow.ts';

export interface GraphNode extends PlanNode {
  readonly node: NodeDefinition;
  /** The canonical definition of a node that is an action already, made again on demand. */
  readonly redefinition?: string;
  /** The action that the node is already; a new one gets its id when the plan is applied. */
  readonly action: ActionRow | undefined;
  readonly grownFrom: number | null;
}

/** The graph of a workflow that is being submitted. */
export function newGraph(
  nodes: readonly NodeDefinition[],
  signed: ReadonlyMap<string, SignedDefinition> = signNodes(nodes),
): GraphNode[] {
  const index = new Map(nodes.map((node, i) => [node.key, i]));
  return nodes.map((node) => {
    const { signature, definition } = signed.get(node.key) as { signature: string; definition: string };
    return {
      ...common(node),
      signature,
      definition,
      parents: node.parents.map((link) => ({
        slot: link.slot,
        position: link.position ?? '',
        node: index.get(link.key) as number,
        optional: link.optional ?? false,
      })),
      action: undefined,
      grownFrom: null,
    };
  });
}

export interface LiveGraphOptions {
  /** Nodes that are about to be inserted below the action `grownFrom`. */
  readonly inserted?: readonly NodeDefinition[];
  readonly grownFrom?: number;
  /** The growing action is, or is below, a forced one. */
  readonly belowForced?: boolean;
  /** Of the actions only those with these keys. */
  readonly only?: readonly string[] | undefined;
}

/** The graph of a live run: all its actions, and nodes that are about to be inserted. */
export async function liveGraph(
  view: StoreView,
  runId: number,
  options: LiveGraphOptions = {},
): Promise<GraphNode[]> {
  const { inserted = [], grownFrom = null, belowForced, only } = options;
  const actions = only ? await view.actionsByKey(runId, only) : await view.actionsOfRun(runId);
  const byKey = new Map(actions.map((action) => [action.key, action]));
  const signed = signNodes(inserted, (key) => byKey.get(key)?.signature);
  const definitions = [...actions.map((action) => readNode(action.node)), ...inserted];
  const index = new Map(definitions.map((node, i) => [node.key, i]));

  const resolve = (slot: string, key: string, position: string, optional: boolean): PlanLink[] => {
    const grown = byKey.get(key)?.grown;
    if (grown) {
      const { results, list } = JSON.parse(grown) as GrownNode;
      return results.flatMap((result, i) =>
        resolve(slot, result, list ? memberPosition(position, i) : position, optional),
      );
    }
    const node = index.get(key);
    return node === undefined ? [] : [{ slot, position, node, optional }];
  };

  return definitions.map((node, i) => {
    const action = actions[i];
    const sign = action ? undefined : signed.get(node.key);
    return {
      ...common(node),
      signature: action?.signature ?? (sign?.signature as string),
      definition: sign?.definition,
      get redefinition() {
        return definitionOf(node, (key) => byKey.get(key)?.signature as string);
      },
      get parents() {
        return node.parents.flatMap((link) =>
          resolve(link.slot, link.key, link.position ?? '', link.optional ?? false),
        );
      },
      current: action && { state: action.state, datasetId: action.datasetId },
      belowForced: action === undefined && belowForced,
      action,
      grownFrom,
    };
  });
}

/** What stands for a growing action that has grown: kept in its row. */
export interface GrownNode {
  readonly results: readonly string[];
  readonly list: boolean;
}

/** Where the i-th member of a list stands within a slot; nests. */
export function memberPosition(position: string, i: number): string {
  return nestedPosition(position, String(i).padStart(8, '0'));
}

/** A position inside another; '' is no position at all. */
export function nestedPosition(outer: string, inner: string): string {
  return outer === '' || inner === '' ? outer + inner : `${outer}.${inner}`;
}

function common(
  node: NodeDefinition,
): Pick<GraphNode, 'key' | 'expands' | 'forced' | 'managed' | 'result' | 'node'> {
  return {
    key: node.key,
    expands: node.expands,
    forced: node.policy.forced,
    managed: node.policy.outputPath === undefined,
    result: node.result,
    node,
  };
}

function definitionOf(node: NodeDefinition, signatureOf: (key: string) => string): string {
  const parents = node.parents.flatMap((link, position) =>
    link.signed === false ? [] : [{ slot: link.slot, position, key: signatureOf(link.key) }],
  );
  return logicalSignature(node.identity, parents).definition;
}
