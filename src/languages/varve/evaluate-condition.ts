// What a parsed `when` condition means: which values it uses, and whether it holds for them. Values of different types are
// never made equal silently.
import { canonical, isList, isObject, type Json } from '../../core/json.ts';
import { type Condition, ConditionMistake, type Operator } from './parse-condition.ts';

/** Every `inputs.NAME` and `params.NAME` of a condition. */
export function conditionReferences(condition: Condition): Extract<Condition, { is: 'reference' }>[] {
  switch (condition.is) {
    case 'value':
      return [];
    case 'reference':
      return [condition];
    case 'list':
      return condition.items.flatMap(conditionReferences);
    case 'member':
      return [...conditionReferences(condition.of), ...conditionReferences(condition.key)];
    case 'size':
    case 'not':
      return conditionReferences(condition.of);
    default:
      return [...conditionReferences(condition.left), ...conditionReferences(condition.right)];
  }
}

/** Whether a condition holds; throws ConditionMistake where values and operators do not fit. */
export function conditionHolds(
  condition: Condition,
  look: (root: 'inputs' | 'params', name: string) => Json,
): boolean {
  return truth(evaluate(condition, look), 'the condition');
}

function evaluate(condition: Condition, look: (root: 'inputs' | 'params', name: string) => Json): Json {
  switch (condition.is) {
    case 'value':
      return condition.value;
    case 'list':
      return condition.items.map((item) => evaluate(item, look));
    case 'reference':
      return look(condition.root, condition.name);
    case 'member':
      return member(evaluate(condition.of, look), evaluate(condition.key, look));
    case 'size':
      return size(evaluate(condition.of, look));
    case 'not':
      return !truth(evaluate(condition.of, look), 'the operand of !');
    case '&&':
    case '||': {
      const left = truth(evaluate(condition.left, look), `the left side of ${condition.is}`);
      if (left === (condition.is === '||')) return left;
      return truth(evaluate(condition.right, look), `the right side of ${condition.is}`);
    }
    default:
      return compare(condition.is, evaluate(condition.left, look), evaluate(condition.right, look));
  }
}

function compare(operator: Operator, left: Json, right: Json): boolean {
  if (operator === '==') return canonical(left) === canonical(right);
  if (operator === '!=') return canonical(left) !== canonical(right);
  if (operator === 'in') return contains(left, right);
  const numbers = typeof left === 'number' && typeof right === 'number';
  const strings = typeof left === 'string' && typeof right === 'string';
  if (!numbers && !strings)
    throw new ConditionMistake(
      `${operator} compares two numbers or two strings, not ${typeWord(left)} and ${typeWord(right)}`,
    );
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

function contains(left: Json, right: Json): boolean {
  if (isList(right)) return right.some((item) => canonical(item) === canonical(left));
  if (typeof left !== 'string')
    throw new ConditionMistake(`in needs a list on its right, not ${typeWord(right)}`);
  if (typeof right === 'string') return right.includes(left);
  if (isObject(right)) return Object.hasOwn(right, left);
  throw new ConditionMistake(`in needs a list, a string or an object on its right, not ${typeWord(right)}`);
}

function member(of: Json, key: Json): Json {
  if (isList(of) && typeof key === 'number') return of[key] ?? null;
  if (isObject(of) && typeof key === 'string') return Object.hasOwn(of, key) ? of[key]! : null;
  if (of === null) return null;
  throw new ConditionMistake(`${typeWord(of)} has no member ${JSON.stringify(key)}`);
}

function size(of: Json): number {
  if (typeof of === 'string' || isList(of)) return of.length;
  if (isObject(of)) return Object.keys(of).length;
  throw new ConditionMistake(`size() needs a string, a list or an object, not ${typeWord(of)}`);
}

function truth(value: Json, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ConditionMistake(`${what} must be true or false, not ${typeWord(value)}`);
}

function typeWord(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
