// No page has a serious problem for people who use it with other senses, in light and in dark, empty and full.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { shell, startTestServer } from '../server/test-server.ts';
import { closeBrowser, lastFirst, noBrowser, openPage } from './browser.ts';

const options = { skip: noBrowser, timeout: 240_000 };
after(closeBrowser);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary: string }[];
}

async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe;
    return (await run()).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
    );
}

async function check(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
    assert.deepEqual(await seriousProblems(page), [], path);
  }
}

const flow = [
  shell('greet', 'printf "hello\\nworld\\n"; echo said', { stdout: 'words.txt' }),
  shell('count', 'wc -l < "$VARVE_INPUT_GREET/words.txt"', { stdout: 'lines.txt', parentActions: ['greet'] }),
  shell('fail', 'echo wrong >&2; exit 3', { parentActions: ['greet'] }),
];

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds no serious problem on any page (${colorScheme})`, options, async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t, { set: ['storage.budget=1GB'] });
    const page = await openPage(t, server.url, { colorScheme });
    await check(page, ['/runs', '/datasets', '/storage', '/workers', '/history', '/settings']);
    const run = await server.run(flow, {
      workflow: { name: 'flow', failurePolicy: 'finish-what-is-possible', actions: flow },
    });
    const again = await server.run(flow.slice(0, 2));
    const [output] = (await server.get(`runs/${again}`)).json.outputs;
    const { items } = (await server.get(`runs/${run}/actions?key=fail`)).json;
    await check(page, [
      '/runs',
      '/runs?search=nothing',
      `/runs/${run}`,
      `/runs/${run}?action=${items[0].action}`,
      `/runs/${run}?view=time`,
      `/runs/${run}?view=table`,
      `/runs/${again}?view=results`,
      `/runs/${again}?view=source`,
      `/compare?left=${run}&right=${again}`,
      '/compare',
      '/submit',
      '/datasets',
      `/datasets/${output.dataset}`,
      `/datasets/${output.dataset}?view=lineage`,
      `/datasets/${output.dataset}?view=journal`,
      '/storage',
      '/workers',
      '/history',
      '/settings',
    ]);
  });
}
