// The tour itself, part by part.
import { errorKinds } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Guide } from './guide.ts';

export interface TourPart {
  readonly title: string;
  play(guide: Guide): Promise<void>;
}

const workflow = 'workflow.yaml';
/** Two seasons take 12 MB. */
const budget = '--set=storage.budget=10MB';

export const tourParts: readonly TourPart[] = [
  {
    title: 'run',
    async play(guide) {
      guide.say(
        'A workflow of four actions: readings → sorted → medians → report. The first two make 3 MB each, the others a few lines.',
      );
      await guide.shell(`grep -e 'id:' -e 'from:' ${workflow}`);
      await guide.varve('run', workflow, '--outdir', 'results');
      await guide.shell('cat results/report/report.txt');
    },
  },
  {
    title: 'run again',
    async play(guide) {
      guide.say(
        'Every dataset is known by how it was made: command, environment, contents of programs and inputs. All of them are there.',
      );
      await guide.varve('run', workflow);
    },
  },
  {
    title: 'change a step',
    async play(guide) {
      guide.say('Only the report reads the limit. Ask first what another limit would do, and why:');
      await guide.varve('run', workflow, '--input', 'limit=26', '--dry-run');
      await guide.varve('run', workflow, '--input', 'limit=26');
      guide.say('And afterwards, down to the field that differs:');
      await guide.varve('why', '3', 'report');
    },
  },
  {
    title: 'exceed the budget',
    async play(guide) {
      guide.say(
        'Now a budget of 10 MB, and another season that needs 6 MB more than the 6 MB that are there. Varve makes room by itself, while the run is under way.',
      );
      await guide.varve('run', workflow, '--input', 'season=2', budget);
      await guide.varve('datasets', 'du');
      await guide.varve('datasets', 'ls', '--state', 'DELETED');
      guide.say('What is expected to save the least compute time per byte went first. Its price tag:');
      await guide.varve('datasets', 'why-deleted', await signature(guide, 'DELETED'));
      guide.say('The row of a dataset outlives its files, so nothing that was known is lost:');
      await guide.varve('run', workflow, '--input', 'season=2', '--input', 'limit=26', '--dry-run');
    },
  },
  {
    title: 'lose everything, and get it back',
    async play(guide) {
      const report = await signature(guide, 'LEAF', 'report');
      guide.say('Somebody deletes the files of all datasets behind our back.');
      await guide.shell('chmod -R u+w home/datasets && rm -r home/datasets');
      await guide.varveThatEndsWith(errorKinds.corrupt.exitCode, 'datasets', 'verify');
      guide.say(
        'A missing file is no error: it is computed again, and its bytes are compared with those that it had.',
      );
      await guide.varve('datasets', 'restore', report);
      await guide.varve('savings');
    },
  },
  {
    title: 'look at it in a browser',
    async play(guide) {
      guide.say('Runs, datasets and decisions for a group, over HTTP. On a port that is free:');
      await guide.serve(async (url) => {
        const reachable = async (path: string): Promise<boolean> => (await fetch(`${url}${path}`)).ok;
        const page = (await reachable('/')) ? url : `${url}/api`;
        const docs = (await reachable('/docs/')) ? `, and explains itself at ${url}/docs` : '';
        guide.say(`It answers at ${page}${docs}. It stops when the tour goes on.`);
        await guide.pause();
      });
    },
  },
];

/** The first twelve digits of the newest dataset in a state. */
async function signature(guide: Guide, state: string, name?: string): Promise<string> {
  const rows = (await guide.ask(
    ...['datasets', 'ls', '--state', state, '--limit', '1'],
    ...(name === undefined ? [] : ['--name', name]),
  )) as JsonObject[];
  return String(rows[0]?.signature ?? '').slice(0, 12);
}
