// Measures one decision over many datasets: time and memory of the default algorithm (or those named as arguments) with 100,000
// stored of 400,000 known datasets, and with 250,000 of 1,000,000, on sparse and dense graphs.
//   npm run bench -- decisions [algorithm…]
// Times are CPU seconds of the deciding thread, which are wall seconds where nothing else runs, with wall seconds in brackets.
import { fork } from 'node:child_process';
import { DecisionSession } from '../src/core/eviction/decision-session.ts';
import { validateChoice } from '../src/core/eviction/validate-choice.ts';
import { datasetMarks } from '../src/core/ports/decision-algorithm.ts';
import { shippedAlgorithms } from '../src/decisions/shipped.ts';
import { freedShares, makePast, type Setting, settings, stopwatch } from './decisions/past.ts';

function measure(name: string, setting: Setting): void {
  const algorithm = shippedAlgorithms[name]!;
  const past = makePast(setting);
  global.gc?.();
  const before = process.memoryUsage();
  const session = new DecisionSession(algorithm);
  const folded = stopwatch();
  session.catchUp(past.log, past.table);
  const fold = folded();
  let stored = 0;
  for (let d = 0; d < past.table.count; d += 1) {
    if ((past.table.marks[d]! & (datasetMarks.stored | datasetMarks.leaf)) === datasetMarks.stored) {
      stored += past.table.sizeBytes[d]!;
    }
  }
  const times = freedShares.map((share) => {
    const facts = past.facts(past.log.runs * 1000, Math.floor(stored * share));
    const decided = stopwatch();
    const choice = session.decide(facts);
    const took = decided();
    const { problems } = validateChoice(facts, choice);
    if (problems[0]) throw new Error(problems[0].message);
    return took;
  });
  const after = process.memoryUsage();
  const megabytes = (usage: NodeJS.MemoryUsage) => (usage.heapUsed + usage.arrayBuffers) / 1e6;
  console.log(
    [
      name.padEnd(19),
      setting.graph.padEnd(7),
      `${setting.stored} of ${setting.known}`.padEnd(18),
      fold.padEnd(15),
      ...times.map((time) => time.padEnd(15)),
      `${Math.round(megabytes(before))} + ${Math.round(megabytes(after) - megabytes(before))} MB`.padEnd(14),
      `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`,
    ].join(' '),
  );
}

if (process.send) {
  process.once('message', ({ name, setting }: { name: string; setting: Setting }) => {
    measure(name, setting);
    process.disconnect?.();
  });
} else {
  const names = process.argv.slice(2);
  console.log(
    'algorithm           graph   stored of known    history         free 2 %        free 20 %       free 80 %       facts + work   peak RSS',
  );
  // A process of its own for each setting, so that memory figures stand alone.
  for (const name of names.length > 0 ? names : ['hamr']) {
    for (const setting of settings) {
      const child = fork(import.meta.filename, { execArgv: ['--expose-gc'] });
      child.send({ name, setting });
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
}
