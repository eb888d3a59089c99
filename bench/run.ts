// `npm run bench [-- part … [arguments]]`: runs the named parts of this folder, or all, one after the other, beside the peers that are installed.
//   --quick           small sizes and single rounds of the parts that can: some minutes for all, to see that everything works
//   --install-peers   installs what pip, npm and Maven offer into bench/peers, then ends
//   report            makes docs/benchmarks.md and its pictures from bench/results, or from what is kept in docs/benchmarks.json
//   --list            says which parts and peers there are
// Every part leaves bench/results/<part>.json.
import { engines } from './engines/index.ts';
import { installPeers } from './harness/install-peers.ts';
import { partNamed, parts } from './harness/parts.ts';
import { runPart } from './harness/run-part.ts';
import { writeReport } from './report/write-report.ts';

const quick = process.argv.includes('--quick');
const words = process.argv.slice(2).filter((word) => word !== '--quick');

if (words.includes('--install-peers')) await installPeers(words.filter((word) => !word.startsWith('-')));
else if (words.includes('--list') || words.includes('--help')) list();
else if (words[0] === 'report') writeReport();
else run();

function list(): void {
  console.log('parts (npm run bench -- <part> …):');
  for (const { name, title } of parts) console.log(`  ${name.padEnd(16)} ${title}`);
  console.log('engines:');
  for (const engine of engines)
    console.log(
      `  ${engine.name.padEnd(16)} ${engine.version() ?? 'not installed (npm run bench -- --install-peers)'}`,
    );
}

function run(): void {
  const first = words.findIndex((word) => partNamed(word) === undefined);
  const named = first < 0 ? words : words.slice(0, first);
  const rest = first < 0 ? [] : words.slice(first);
  if (named.length === 0 && rest.length > 0) {
    console.error(`there is no part "${rest[0]}": npm run bench -- --list says which there are`);
    process.exitCode = 2;
    return;
  }
  const chosen =
    named.length > 0
      ? named.map((name) => partNamed(name)!)
      : parts.filter((part) => part.standard && (!quick || part.quick));
  const failed = chosen
    .filter((part) => !runPart(part, [...(quick ? (part.quick ?? []) : []), ...rest]))
    .map(({ name }) => name);
  if (failed.length > 0) {
    console.error(`not succeeded: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
