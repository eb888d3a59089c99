// What the pages let people see and compare: two runs, times, groups, prices, pictures, other budgets, users.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { localApi } from '../../src/server/local-api.ts';
import { shell, startTestServer } from '../server/test-server.ts';
import { closeBrowser, lastFirst, noBrowser, openPage, phone } from './browser.ts';

const options = { skip: noBrowser, timeout: 180_000 };
after(closeBrowser);

const greet = shell('greet', 'echo hello; sleep 0.2', { stdout: 'words.txt' });
const count = (command: string) =>
  shell('count', `${command} < "$VARVE_INPUT_GREET/words.txt"`, {
    stdout: 'lines.txt',
    parentActions: ['greet'],
  });

/** Lets go of files above an element, as a hand does. */
async function drop(page: Page, selector: string, files: Readonly<Record<string, string>>): Promise<void> {
  const dataTransfer = await page.evaluateHandle((contents) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(contents)) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.dispatchEvent(selector, 'dragover', { dataTransfer });
  await page.locator('.dropping').waitFor();
  await page.dispatchEvent(selector, 'drop', { dataTransfer });
}

test(
  'files that are dropped onto the list of runs, or onto the editor, become a run',
  options,
  async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t);
    const page = await openPage(t, server.url);
    await page.goto('/runs');
    await page.getByText('No runs yet').waitFor();
    const document =
      'name: dropped\nparams:\n  text: { file: story.txt }\nactions:\n  - id: copy\n    command: \'cat "$VARVE_INPUT_TEXT"\'\n    inputs: { text: "${params.text}" }\n    stdout: out.txt\n';
    await drop(page, '.page', { 'flow.yaml': document });
    await page.waitForURL('**/submit');
    await page.getByText('missing: drop it here').waitFor();
    await drop(page, '.submit', { 'story.txt': 'a story\n' });
    await page.getByText('The document is complete and right.').waitFor();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.locator('h1 [data-state=SUCCEEDED]').waitFor();
  },
);

test('two runs are chosen from the list and compared, action by action', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  await server.run([greet, count('wc -l')]);
  await server.run([greet, count('wc -c'), shell('extra', 'true')]);
  const page = await openPage(t, server.url);
  await page.goto('/runs');
  await page.getByLabel('Compare run 1').check();
  await page.getByLabel('Compare run 2').check();
  await page.getByRole('button', { name: 'Compare 1 and 2' }).click();
  await page.waitForURL('**/compare?left=1&right=2');
  const table = page.getByRole('table', { name: 'Actions of both runs' });
  const row = (key: string) => table.getByRole('row').filter({ hasText: key });
  await row('greet').getByText('Same computation').waitFor();
  await row('count').getByText('Changed').waitFor();
  await row('extra').getByText('Only in run 2').waitFor();
  assert.equal(await row('greet').locator('[data-state=SKIPPED], [data-state=REUSED]').count(), 1);
  await page.getByRole('button', { name: 'Changed 1' }).click();
  await row('greet').waitFor({ state: 'detached' });
  assert.equal(await table.getByRole('row').count(), 2);
});

test('on a phone two runs are compared by their numbers', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  await server.run([greet]);
  await server.run([greet]);
  const page = await openPage(t, server.url, phone);
  await page.goto('/runs');
  await page.getByRole('button', { name: 'Compare two' }).tap();
  await page.getByLabel('Run', { exact: true }).fill('1');
  await page.getByLabel('with run').fill('2');
  await page.getByRole('button', { name: 'Compare' }).tap();
  await page.getByRole('table', { name: 'Actions of both runs' }).getByText('Same computation').waitFor();
});

test('the list of runs is searched and filtered, and the address keeps it', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  await server.run([greet], { workflow: { name: 'apples', actions: [greet] } });
  const bad = shell('bad', 'exit 3');
  await server.run([bad], { workflow: { name: 'pears', actions: [bad] } });
  const page = await openPage(t, server.url);
  await page.goto('/runs');
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByText('apples').waitFor();
  const search = page.getByLabel('Search runs by name');
  await search.fill('pear');
  await page.getByRole('button', { name: 'Failed' }).click();
  assert.equal(await search.inputValue(), 'pear', 'what is typed stays while the page changes');
  await page.waitForURL('**/runs?state=failed&search=pear');
  await table.getByText('apples').waitFor({ state: 'detached' });
  await table.getByText('pears').waitFor();
  await search.fill('');
  await page.waitForURL('**/runs?state=failed');
  await page.getByRole('button', { name: 'Succeeded' }).click();
  await table.getByText('pears').waitFor({ state: 'detached' });
  await page.reload();
  await table.getByText('apples').waitFor();
  assert.equal(await table.getByText('pears').count(), 0);
});

test('the time line has a bar for each action that ran, and a click opens it', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const run = await server.run([greet, count('wc -l')]);
  const page = await openPage(t, server.url);
  await page.goto(`/runs/${run}?view=time`);
  const line = page.getByRole('group', { name: /^Time line of 2 actions/ });
  await line.click({ position: { x: 60, y: 28 + 13 } });
  await page.getByRole('complementary', { name: 'Action greet' }).waitFor();
  await line.click({ position: { x: 60, y: 28 + 26 + 13 } });
  const panel = page.getByRole('complementary', { name: 'Action count' });
  await panel.getByText('no equal dataset was ever computed here').waitFor();
  await panel.getByText('Wall time').waitFor();
  await panel.getByRole('button', { name: /Re-run from here/ }).click();
  await page.waitForURL('**/runs/2**');
  await page.locator('h1 [data-state=SUCCEEDED]').waitFor();
  const { items } = (await server.get('runs/2/actions?key=count')).json;
  assert.equal(items[0].state, 'FINISHED', 'it was computed again');
});

test('a scatter is a group that opens and closes with the space bar', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const split = shell('split', 'for i in 1 2 3; do echo $i > "$VARVE_OUTPUT/part-$i"; done', {
    outputs: { parts: 'part-*' },
  });
  const each = shell('each', 'cat "$VARVE_INPUT_PARTS"', {
    inputs: { parts: { from: 'split', output: 'parts' } },
    scatter: { over: 'parts', as: 'part' },
    stdout: 'o',
  });
  const run = await server.run([split, { ...each, command: 'cat "$VARVE_INPUT_PART"' }]);
  const page = await openPage(t, server.url);
  await page.goto(`/runs/${run}`);
  const canvas = page.getByRole('application', { name: /^Graph of run/ });
  const nodes = (): Promise<string | null> => canvas.getAttribute('data-nodes');
  await page.locator('canvas[data-nodes]').waitFor();
  const open = Number(await nodes());
  assert.ok(open >= 5, `${open} nodes`);
  await page.getByRole('button', { name: 'Close groups' }).click();
  await page.locator('canvas[data-nodes="2"]').waitFor();
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('complementary', { name: 'Action split' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  await page.keyboard.press(' ');
  await page.locator(`canvas[data-nodes="${open}"]`).waitFor();
});

test('a dataset shows its price, who holds it, and pictures among its files', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP8zwACTGCSAQANHQEDgslx/wAAAABJRU5ErkJggg==';
  const run = await server.run([
    shell('draw', `echo ${png} | base64 -d > "$VARVE_OUTPUT/dot.png"; sleep 0.1`, {
      outputs: { picture: 'dot.png' },
    }),
  ]);
  const [output] = (await server.get(`runs/${run}`)).json.outputs;
  const page = await openPage(t, server.url);
  await page.goto('/datasets');
  await page.getByRole('link', { name: /draw/ }).first().click();
  await page.waitForURL(`**/datasets/${output.dataset}`);
  const tag = page.getByLabel('Price tag and claims');
  await tag.getByText(/to compute again/).waitFor();
  await tag.getByText(`run ${run}`).waitFor();
  const picture = page.getByLabel('Preview of dot.png').getByRole('img');
  await picture.waitFor();
  assert.equal(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth), 3);
});

test(
  'the slider replays the history with another budget while it moves, also by keys',
  options,
  async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t, { set: ['storage.budget=1MB'] });
    for (const n of [1, 2, 1])
      await server.run([
        shell('big', `head -c 40000 /dev/zero; echo ${n}`, { stdout: 'big' }),
        shell('last', `wc -c "$VARVE_INPUT_BIG/big"; echo ${n}${n}`, { stdout: 'o', parentActions: ['big'] }),
      ]);
    const page = await openPage(t, server.url);
    await page.goto('/storage');
    await page.getByText('3 runs replayed with hamr').waitFor();
    const slider = page.getByRole('slider');
    const givenUp = page.locator('.figures > *').filter({ hasText: 'datasets given up' });
    assert.match((await givenUp.textContent()) ?? '', /^0/);
    await slider.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await givenUp.filter({ hasText: /^[1-9]/ }).waitFor();
    assert.notEqual(await slider.getAttribute('aria-valuetext'), '1 MB');
    await page.keyboard.press('End');
    await givenUp.filter({ hasText: /^0/ }).waitFor();
  },
);

test('storage shows what would go next, and what went and why', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  await server.run([greet, count('wc -l')]);
  const page = await openPage(t, server.url);
  await page.goto('/storage');
  await page.getByText('Nothing was given up').waitFor();
  await page.getByRole('heading', { name: 'What would go next' }).waitFor();
  await page.locator('ol').getByRole('link', { name: 'greet' }).waitFor();
  await server.post('storage/decisions', { free: 1, dryRun: false, limit: 10 });
  const gone = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Given up' }) });
  await gone.getByRole('link', { name: 'greet' }).waitFor();
  await gone.getByText(/to recompute now/).waitFor();
  await gone.getByRole('link', { name: 'greet' }).click();
  await page.locator('h1 [data-state=DELETED]').waitFor();
});

test(
  'an administrator lets users in and shuts them out; a token is shown once and revoked',
  options,
  async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t, { set: ['server.authentication=required'] });
    const site = localApi(server.varve);
    await site.putUser({ user: 'ann', role: 'admin', projects: ['maps'] });
    const { secret } = await site.addToken({ user: 'ann' });
    const page = await openPage(t, server.url, { allowed: /401/ });
    await page.goto('/settings');
    await page.getByLabel('Token').fill(secret);
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ben');
    await page.getByLabel('Role of the new user').selectOption('viewer');
    await page.getByLabel('Projects').fill('maps, genomes');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const ben = page.getByRole('table', { name: 'Users' }).getByRole('row').filter({ hasText: 'ben' });
    await ben.getByText('genomes, maps').waitFor();
    await ben.getByRole('button', { name: 'Shut out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Shut out' }).click();
    await ben.getByRole('button', { name: 'Let in' }).waitFor();
    await page.getByPlaceholder('my laptop').fill('laptop');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const made = await page.locator('code.secret').textContent();
    const asked = await server.get('session', { authorization: `Bearer ${made}` });
    assert.equal(asked.json.user, 'ann');
    const row = page.getByRole('table', { name: 'Tokens' }).getByRole('row').filter({ hasText: 'laptop' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
  },
);
