// `npm run soak -- [--minutes 60] [--clients 4] [--kill-every 20] [--sqlite]`: see soak.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testDatabase } from '../postgres.ts';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    clients: { type: 'string', default: '4' },
    'kill-every': { type: 'string', default: '20' },
    sqlite: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'varve-soak-'));
const endings: (() => Promise<void>)[] = [];
const began = Date.now();
try {
  const database = values.sqlite ? undefined : await testDatabase({ after: (end) => void endings.push(end) });
  const store = database && 'url' in database ? database.url : undefined;
  console.log(`on ${store === undefined ? 'SQLite' : 'PostgreSQL'}`);
  const report = await soak({
    folder,
    store,
    minutes: Number(values.minutes),
    clients: Number(values.clients),
    killEveryMs: Number(values['kill-every']) * 1000,
    say: (text) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`),
  });
  const { runs, cancelled, kills, lostAttempts, megabytes, growth } = report;
  console.log(
    `${runs} runs, ${cancelled} of them cancelled, ${kills} kills, ${lostAttempts} attempts lost and made again; nothing lost`,
  );
  console.log(`memory of the server that lived: ${megabytes.join(' ')} MB`);
  console.log(
    growth
      ? `memory is flat: ${growth.before} MB in the second third of the time, ${growth.after} MB in the last`
      : 'too short to say whether memory is flat',
  );
} finally {
  for (const end of endings) await end();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
