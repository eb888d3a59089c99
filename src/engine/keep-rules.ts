// Users' rules about how long datasets live: checked, kept in the store, so that they hold for every process.
import type { KeepRule } from '../core/eviction/keep-rules.ts';
import type { EngineContext } from './engine-context.ts';
import { engineErrors } from './error-codes.ts';

export type NewRule = Omit<KeepRule, 'id' | 'createdAt'>;

export async function addRule({ store, clock }: EngineContext, rule: NewRule): Promise<KeepRule> {
  const problem = problemOf(rule);
  if (problem !== undefined) throw engineErrors.RULE_SENSELESS(problem);
  const complete = { ...rule, createdAt: clock.now() };
  const id = await store.write((tx) => tx.addKeepRule(complete));
  return { id, ...complete };
}

export async function removeRule({ store }: EngineContext, id: number): Promise<void> {
  if (!(await store.write((tx) => tx.removeKeepRule(id)))) throw engineErrors.RULE_NOT_FOUND(id);
}

function problemOf(rule: NewRule): string | undefined {
  const { effect, name, userName, atLeastBytes, atMostBytes, quotaBytes } = rule;
  const bounded = atLeastBytes !== null || atMostBytes !== null;
  if (effect === 'leaf-quota') {
    if (quotaBytes === null) return 'a quota needs a size';
    return name !== null || bounded ? 'a quota is about users only' : undefined;
  }
  if (quotaBytes !== null) return 'only a leaf-quota has a quota';
  if (name === null && userName === null && !bounded) return 'it would match every dataset';
  if (atLeastBytes !== null && atMostBytes !== null && atLeastBytes > atMostBytes)
    return 'no size is at least the larger and at most the smaller';
  return undefined;
}
