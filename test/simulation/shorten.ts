// Makes the story of a failure shorter: parts of its tape are replaced by zeros, the dullest choices, as long as the same thing goes wrong.
import { Violation } from './invariants.ts';
import { type Outcome, simulate } from './simulation.ts';

const mostTries = 250;

export async function shorten(outcome: Outcome): Promise<Outcome> {
  const wanted = nameOf(outcome);
  let best = outcome;
  let tries = 0;
  const fails = async (tape: readonly number[]): Promise<boolean> => {
    tries += 1;
    const other = await simulate(tape);
    if (nameOf(other) !== wanted || other.log.length > best.log.length) return false;
    best = other;
    return true;
  };
  for (let length = Math.ceil(best.tape.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let start = 0; start < best.tape.length && tries < mostTries; start += length) {
      const part = best.tape.slice(start, start + length);
      if (part.every((value) => value === 0)) continue;
      await fails([...best.tape.slice(0, start), ...part.map(() => 0), ...best.tape.slice(start + length)]);
    }
  }
  return best;
}

function nameOf({ failure }: Outcome): string {
  return failure instanceof Violation ? failure.invariant : (failure?.message.slice(0, 60) ?? '');
}
