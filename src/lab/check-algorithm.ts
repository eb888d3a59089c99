// The contract suite of decision algorithms: many small situations, each looked at from several sides. A plug-in that
// passes may be trusted to be asked; production checks every answer all the same.
import { cutColumns } from '../core/eviction/dataset-table.ts';
import { DecisionSession } from '../core/eviction/decision-session.ts';
import { validateChoice } from '../core/eviction/validate-choice.ts';
import type { Choice, DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { type CheckCase, checkCase } from './check-cases.ts';

export interface Finding {
  /** Which rule is broken. */
  readonly rule: keyof typeof checkRules;
  /** The situation, so that it can be built again. */
  readonly where: string;
  readonly problem: string;
}

export const checkRules = {
  shape: 'exports an object with name, reason and decide, and nothing of another kind under init and observe',
  answers: 'answers every situation without throwing, within the time limit',
  valid:
    'names only stored datasets that are neither claimed, results, pinned nor being computed; enough, and no more than needed',
  columns: 'explains with columns as long as the list that they explain',
  repeatable: 'answers the same to the same facts and state',
  'leaves facts alone': 'changes neither facts nor state while deciding',
  cloneable: 'keeps a state that can be cloned, so that it can be saved and moved',
  'numbering does not matter': 'chooses the same datasets however they are numbered',
} as const;

export interface CheckOptions {
  /** How many situations. */
  readonly cases?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Everything found; at most one finding per rule and situation. An empty list means that the algorithm passed. */
export function checkAlgorithm(algorithm: DecisionAlgorithm, options: CheckOptions = {}): Finding[] {
  const shape = shapeFinding(algorithm);
  if (shape) return [shape];
  const findings: Finding[] = [];
  const cases = options.cases ?? 60;
  for (let index = 0; index < cases; index += 1) {
    findings.push(...checkOne(algorithm, index));
    options.onProgress?.(index + 1, cases);
  }
  return findings;
}

function shapeFinding(algorithm: DecisionAlgorithm | undefined): Finding | undefined {
  const wrong = (problem: string): Finding => ({ rule: 'shape', where: 'the module', problem });
  if (typeof algorithm !== 'object' || algorithm === null)
    return wrong('the default export is not an object');
  if (typeof algorithm.name !== 'string' || algorithm.name === '') return wrong('"name" is not a string');
  if (typeof algorithm.reason !== 'string') return wrong('"reason" is not a string');
  for (const key of ['decide', 'init', 'observe'] as const) {
    const given: unknown = algorithm[key];
    const absent = given === undefined && key !== 'decide';
    if (!absent && typeof given !== 'function') return wrong(`"${key}" is not a function`);
  }
  return undefined;
}

function checkOne(algorithm: DecisionAlgorithm, index: number): Finding[] {
  const situation = checkCase(index);
  const findings: Finding[] = [];
  const found = (rule: Finding['rule'], problem: string) =>
    findings.push({ rule, where: situation.name, problem });
  try {
    const session = new DecisionSession(algorithm);
    session.catchUp(situation.past.log, situation.past.table);
    const before = cloned(() =>
      structuredClone([cutColumns(situation.facts.known), session.snapshot().state]),
    );
    if (!before) found('cloneable', 'the state cannot be cloned');
    const choice = session.decide(situation.facts);
    const [problem] = validateChoice(situation.facts, choice).problems;
    if (problem) {
      found('valid', problem.message);
      return findings;
    }
    for (const column of ['score', 'reuseRate'] as const) {
      const length = choice[column]?.length ?? choice.giveUp.length;
      if (length !== choice.giveUp.length)
        found('columns', `"${column}" has ${length} of ${choice.giveUp.length}`);
    }
    if (before && !same(before, [cutColumns(situation.facts.known), session.snapshot().state])) {
      found('leaves facts alone', 'facts or state are not the same after the decision');
    }
    if (!same(list(choice), list(session.decide(situation.facts))))
      found('repeatable', 'a second answer differs');
    const other = checkCase(index, true);
    const again = new DecisionSession(algorithm).decide(other.facts);
    if (!same(chosen(situation, choice), chosen(other, again))) {
      found(
        'numbering does not matter',
        'other datasets are chosen when the same ones are numbered differently',
      );
    }
  } catch (error) {
    found('answers', error instanceof Error ? error.message : String(error));
  }
  return findings;
}

function cloned<T>(clone: () => T): T | undefined {
  try {
    return clone();
  } catch {
    return undefined;
  }
}

function list(choice: Choice): number[] {
  return Array.from(choice.giveUp);
}

/** The chosen datasets by their original numbers, ascending. */
function chosen(situation: CheckCase, choice: Choice): number[] {
  return list(choice)
    .map((d) => situation.original[d]!)
    .sort((a, b) => a - b);
}

function same(a: unknown, b: unknown): boolean {
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) {
    const [x, y] = [a, b].map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength)) as [Buffer, Buffer];
    return x.equals(y);
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}
