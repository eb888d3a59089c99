// A plan as callers read it: what would be done with each action, and why.
import type { Output } from '../api/api.ts';
import { reasonText } from '../core/reason.ts';
import type { Decision } from '../core/reuse-planner.ts';
import type { RunPlan } from '../engine/submit-run.ts';

type PlannedAction = Output<'planRun'>['items'][number];

const planWords: Record<Decision['do'], PlannedAction['plan']> = {
  compute: 'compute',
  grow: 'grow',
  reuse: 'reuse',
  'reuse-members': 'reuse',
  join: 'join',
  twin: 'join',
  leave: 'leave',
  live: 'live',
  blocked: 'blocked',
};

export function plannedActions({ graph, decisions }: RunPlan): PlannedAction[] {
  return graph.map((node, i) => {
    const decision = decisions[i] as Decision;
    const reason = decision.do === 'live' ? undefined : decision.reason;
    return {
      action: node.key,
      name: node.node.name,
      plan: planWords[decision.do],
      code: reason?.code ?? '',
      why: reason ? reasonText(reason) : '',
      signature: node.signature,
    };
  });
}
