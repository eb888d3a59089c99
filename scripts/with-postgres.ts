// Runs a command with a private PostgreSQL: `node scripts/with-postgres.ts [--durable] <command> [arguments]`. The command finds
// the server's address in VARVE_TEST_POSTGRES; the server ends with the command.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { startPrivatePostgres } from './private-postgres.ts';

const durable = process.argv[2] === '--durable';
const [program, ...args] = process.argv.slice(durable ? 3 : 2);
if (program === undefined) {
  console.error('usage: node scripts/with-postgres.ts [--durable] <command> [arguments]');
  process.exit(2);
}
const server = await startPrivatePostgres({ durable });
if (server === undefined) {
  console.error('PostgreSQL is not installed: apt-get install postgresql');
  process.exit(7);
}
const child = spawn(program, args, {
  stdio: 'inherit',
  env: { ...process.env, VARVE_TEST_POSTGRES: server.url },
});
// The terminal sends these to the child as well; we stay until it has ended, so that the server outlives it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const exitCode = await new Promise<number>((resolve) => {
  child.once('error', (error) => {
    console.error(error.message);
    resolve(127);
  });
  child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
});
await server.stop();
process.exit(exitCode);
