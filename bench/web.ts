// The web page in a real browser: `npm run bench -- web [--json]`. How long from a change of state to the picture of it, how long a page takes
// to open, and how a graph of 5,000 actions moves. Goals: 200 ms from the change to the screen, one second to open.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openDemoSite } from '../scripts/demo-site.ts';

const rounds = 20;
const home = mkdtempSync(join(tmpdir(), 'varve-bench-web-'));
const site = await openDemoSite(home, { budget: '1GB' });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await (await browser.newContext({ baseURL: site.url })).newPage();

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const worst = (values: readonly number[]): number => Math.max(...values);

/** From the moment that the journal gives a change to the frame after its badge has changed. */
async function eventToScreen(): Promise<number[]> {
  await page.goto('/runs');
  await page.getByText('No runs yet').waitFor();
  await page.evaluate(`
    globalThis.seen = {};
    new MutationObserver(() => {
      for (const badge of document.querySelectorAll('tr [data-state=SUCCEEDED]')) {
        const run = badge.closest('tr').querySelector('.number').textContent;
        if (!(run in seen)) { seen[run] = 0; requestAnimationFrame(() => requestAnimationFrame(() => { seen[run] = Date.now(); })); }
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  `);
  const delays: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const { run } = await site.client.submitRun({
      workflow: { name: `round ${i}`, actions: [{ id: 'a', command: `sleep 0.2; echo ${i}` }] },
    });
    await site.client.waitForRun(run);
    const { endedAt } = await site.client.getRun({ run });
    delays.push((await seenAt(run)) - (endedAt ?? 0));
  }
  return delays;
}

async function seenAt(run: number): Promise<number> {
  for (;;) {
    const at = await page.evaluate<number | undefined>(`seen[${run}]`);
    if (at) return at;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function opening(path: string, ready: (page: Page) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const started = performance.now();
    await page.goto(path);
    await ready(page);
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Milliseconds between frames while the graph is dragged about with everything in sight. */
async function moving(): Promise<{ openMs: number; frames: number[] }> {
  const wide = 1000;
  const actions = Array.from({ length: 5000 }, (_, i) => ({
    id: `step-${Math.floor(i / wide)}-${i % wide}`,
    command: `sleep 3600; echo ${i}`,
    ...(i < wide ? {} : { parentActions: [`step-${Math.floor(i / wide) - 1}-${i % wide}`] }),
  }));
  const { run } = await site.client.submitRun({ workflow: { name: 'wide', actions } });
  const started = performance.now();
  await page.goto(`/runs/${run}`);
  await page.locator('canvas[data-nodes]').waitFor();
  const openMs = performance.now() - started;
  await page.getByRole('button', { name: 'Open groups' }).click();
  await page.locator('canvas[data-nodes="5000"]').waitFor();
  await page.evaluate(`
    globalThis.frames = [];
    let last = performance.now();
    const tick = (now) => { frames.push(now - last); last = now; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  `);
  await page.mouse.move(500, 500);
  await page.mouse.down();
  for (let i = 0; i < 60; i += 1) await page.mouse.move(500 + 4 * i, 500 + 2 * (i % 20));
  await page.mouse.up();
  const frames = await page.evaluate<number[]>('frames.slice(2)');
  await site.client.cancelRun({ run });
  await site.client.waitForRun(run);
  return { openMs, frames };
}

const delays = await eventToScreen();
const runsMs = await opening('/runs', (one) => one.getByRole('table').waitFor());
const storageMs = await opening('/storage', (one) =>
  one.getByRole('heading', { name: 'Use over time' }).waitFor(),
);
const { openMs, frames } = await moving();
const result = {
  eventToScreenMs: { median: median(delays), worst: worst(delays) },
  openRunsMs: Math.round(runsMs),
  openStorageMs: Math.round(storageMs),
  open5000Ms: Math.round(openMs),
  frameMs5000: { median: Math.round(median(frames) * 10) / 10, worst: Math.round(worst(frames)) },
};
if (process.argv.includes('--json')) console.log(JSON.stringify(result));
else
  for (const [name, value] of Object.entries(result))
    console.log(name.padEnd(18), typeof value === 'number' ? value : JSON.stringify(value));
await browser.close();
await site.close();
rmSync(home, { recursive: true, force: true });
