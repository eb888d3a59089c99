// The identities that datasets of a history get when it is run for real: the beginnings of their signatures.
import { signNodes } from '../../core/sign-nodes.ts';
import type { History } from '../../lab/history.ts';
import { labWorkflow } from './lab-action.ts';

export function sign32(history: History): Uint32Array {
  const identity = new Uint32Array(history.labels.length);
  const number = new Map(history.labels.map((label, d) => [label, d]));
  const known = new Map<string, string>();
  history.runs.forEach((_, j) => {
    for (const [label, { signature }] of signNodes(labWorkflow(history, j).nodes)) {
      if (known.has(label)) continue;
      known.set(label, signature);
      identity[number.get(label)!] = Number.parseInt(signature.slice(0, 8), 16);
    }
  });
  return identity;
}
