// `npm run bench -- <name> [arguments]`: runs one benchmark of this folder; without a name, lists them.
import { globSync } from 'node:fs';
import { basename } from 'node:path';

const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'run')
  .sort();
const wanted = process.argv[2];
if (wanted === undefined || !names.includes(wanted)) {
  console.error(`usage: npm run bench -- <name>, with one of: ${names.join(', ')}`);
  process.exit(2);
}
process.argv.splice(2, 1);
await import(`./${wanted}.ts`);
