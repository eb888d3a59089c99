// A storage budget under pressure: `npm run bench -- budget [--requests 24] [--rounds 3]`. People ask questions about regions; each needs a slow small survey,
// a quick large extract and an answer. Which extracts are asked for again is a fixed random series. The same series with less and less
// room, by the default algorithm and by the one that gives up what was used longest ago; the reference is keeping only results.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtVarve, freshHome, varve } from './engines/varve.ts';
import { median } from './harness/measure.ts';
import { type Point, recordPoints } from './harness/results.ts';
import { printPoints, say } from './harness/terminal.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '24' }, rounds: { type: 'string', default: '3' } },
});
const requests = Number(values.requests);
const rounds = Number(values.rounds);
const regions = 6;
const extractMegabytes = 2;

/** A small generator with a fixed seed: the same series everywhere. */
function series(): { region: number; question: number }[] {
  let state = 20_260_101;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return Array.from({ length: requests }, (_, question) => ({
    region: Math.min(next(regions), next(regions)),
    question,
  }));
}

function workflow(region: number, question: number): string {
  // Surveys take longer in some regions, extracts are all the same size.
  const survey = `sleep 0.${2 + (region % 3)}; head -c 200000 /dev/zero > "$VARVE_OUTPUT/s"; echo ${region} >> "$VARVE_OUTPUT/s"`;
  const extract = `sleep 0.1; head -c ${extractMegabytes}000000 /dev/zero > "$VARVE_OUTPUT/e"; cat "$VARVE_INPUT_SURVEY/s" >> "$VARVE_OUTPUT/e"`;
  const answer = `wc -c < "$VARVE_INPUT_EXTRACT/e" > "$VARVE_OUTPUT/a"; echo ${question} >> "$VARVE_OUTPUT/a"`;
  return JSON.stringify({
    name: 'budget',
    actions: [
      { id: 'survey', command: survey },
      { id: 'extract', command: extract, parentActions: ['survey'] },
      { id: 'answer', command: answer, parentActions: ['extract'] },
    ],
  });
}

interface Setting {
  readonly name: string;
  readonly set: readonly string[];
}

const all = regions * (extractMegabytes + 0.4);
const settings: readonly Setting[] = [
  { name: 'no budget', set: [] },
  ...[0.5, 0.25].flatMap((share) =>
    ['hamr', 'lru'].map((algorithm) => ({
      name: `${share * 100} %, ${algorithm}`,
      set: [`storage.budget=${(all * share).toFixed(1)}MB`, `decisions.algorithm=${algorithm}`],
    })),
  ),
  { name: 'keep only results', set: ['storage.budget=1MB'] },
];

/** All requests with one setting, in a home of its own. */
function serve({ name, set }: Setting, round: number): { seconds: number; megabytes: number } {
  const folder = mkdtempSync(join(tmpdir(), 'varve-bench-budget-'));
  const home = freshHome(folder);
  const given = set.flatMap((pair) => ['--set', pair]);
  const call = (...words: string[]): string =>
    execFileSync(process.execPath, [builtVarve().program, ...words, ...given], {
      env: { PATH: process.env.PATH, VARVE_HOME: home },
      encoding: 'utf8',
      cwd: folder,
    });
  const began = performance.now();
  series().forEach(({ region, question }, i) => {
    say(`budget: ${name}, round ${round + 1} of ${rounds}, request ${i + 1} of ${requests}`);
    writeFileSync(join(folder, 'flow.json'), workflow(region, question));
    call('run', 'flow.json', '--quiet');
  });
  const seconds = (performance.now() - began) / 1000;
  const occupied = execFileSync('du', ['-sb', join(home, 'datasets')], { encoding: 'utf8' }).split('\t')[0];
  rmSync(folder, { recursive: true, force: true });
  return { seconds: Number(seconds.toFixed(3)), megabytes: Number((Number(occupied) / 1e6).toFixed(1)) };
}

const served = new Map<Setting, { seconds: number; megabytes: number }[]>(settings.map((each) => [each, []]));
builtVarve();
for (let round = 0; round < rounds; round += 1) {
  for (const setting of round % 2 === 0 ? settings : settings.toReversed())
    served.get(setting)!.push(serve(setting, round));
  const points = [...served].map(([{ name }, times]): Point => {
    return {
      workload: `${requests} questions about ${regions} regions`,
      scenario: name,
      size: requests,
      engine: 'Varve',
      seconds: times.map(({ seconds }) => seconds),
      peakMegabytes: 0,
      more: { 'MB at the end': median(times.map(({ megabytes }) => megabytes)) },
    };
  });
  recordPoints(
    { part: 'budget', title: 'A storage budget under pressure', command: 'npm run bench -- budget' },
    [varve],
    points,
  );
  say('');
  if (round === rounds - 1) for (const point of points) printPoints([point]);
}
