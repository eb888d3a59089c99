// The entry of the command line: `node src/cli/main.ts`, and the bundle that bin/varve.mjs loads.
import { runCli } from './run-cli.ts';

await runCli(process.argv.slice(2));
