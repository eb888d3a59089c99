// The simulation as a command. `--seed N` runs one seed and shows what happened, shortened when it fails; `--seeds N` runs so many seeds,
// from `--from M` on, and stops at the first failure.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runSeeds, tellFailure } from './run-seeds.ts';
import { simulate } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    whole: { type: 'boolean', default: false },
  },
});

if (values.seed !== undefined) {
  const seed = Number(values.seed);
  const outcome = await simulate(seed, true);
  if (!outcome.failure || values.whole) console.log(outcome.log.join('\n'));
  if (outcome.failure) console.error(await tellFailure(seed, outcome));
  process.exit(outcome.failure ? 1 : 0);
}
const started = performance.now();
const from = Number(values.from);
const count = Number(values.seeds);
console.log(`${count} seeds from ${from} on ${availableParallelism()} cores`);
const moves = new Map<string, number>();
const failure = await runSeeds(from, count, (done, outcome) => {
  for (const [move, times] of outcome.moves) moves.set(move, (moves.get(move) ?? 0) + times);
  const perMinute = (done / (performance.now() - started)) * 60_000;
  if (done % 500 === 0) console.log(`${done} seeds, ${Math.round(perMinute)} a minute`);
});
if (failure !== undefined) console.error(failure);
else {
  for (const [move, times] of [...moves].sort()) console.log(`${String(times).padStart(8)} ${move}`);
  console.log(`${count} seeds in ${((performance.now() - started) / 1000).toFixed(1)} s, no violation`);
}
process.exit(failure === undefined ? 0 : 1);
