// Runs seeds one after the other; when one fails, tells the shortest story that still fails and how to repeat it.
import { shorten } from './shorten.ts';
import { type Outcome, simulate } from './simulation.ts';

/** The story of the first failure; undefined when all seeds are well. */
export async function runSeeds(
  from: number,
  count: number,
  onSeed: (done: number, outcome: Outcome) => void = () => {},
): Promise<string | undefined> {
  for (let seed = from; seed < from + count; seed++) {
    const outcome = await simulate(seed);
    if (outcome.failure) return tellFailure(seed, outcome);
    onSeed(seed - from + 1, outcome);
  }
  return undefined;
}

export async function tellFailure(seed: number, outcome: Outcome): Promise<string> {
  const short = await simulate((await shorten(outcome)).tape, true);
  return [
    `seed ${seed}: ${outcome.failure?.stack ?? outcome.failure}`,
    `the shortest story found (${short.log.length} lines):`,
    ...short.log,
    `=> ${short.failure?.stack}`,
    `again: node test/simulation/run.ts --seed ${seed}`,
  ].join('\n');
}
