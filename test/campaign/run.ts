// `npm run campaign -- [kills]`: the long campaign, half on SQLite and half on PostgreSQL where it is installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivatePostgres } from '../../scripts/private-postgres.ts';
import { runCampaign } from './campaign.ts';

const kills = Math.ceil(Number(process.argv[2] ?? 300) / 2);
const server = await startPrivatePostgres({ durable: false });
for (const url of [undefined, server?.url]) {
  const folder = mkdtempSync(join(tmpdir(), 'varve-campaign-'));
  const storeUrl = url ?? `sqlite:${join(folder, 'varve.db')}`;
  const started = performance.now();
  const report = await runCampaign({ folder, storeUrl, kills, workers: 3, random: Math.random });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${url ? 'PostgreSQL' : 'SQLite'}: ${report.kills} kills, ${report.runs} runs, ${report.executions} executions, ${report.lostAttempts} lost attempts, ${seconds} s: everything in order`,
  );
  rmSync(folder, { recursive: true, force: true });
  if (!server) break;
}
await server?.stop();
