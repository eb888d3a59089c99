// The web page as people use it: from a workflow to its results, while things change, with keys, on a phone, in the dark.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { eventually, shell, startTestServer } from '../server/test-server.ts';
import { closeBrowser, lastFirst, noBrowser, openPage, phone } from './browser.ts';

const options = { skip: noBrowser, timeout: 180_000 };
after(closeBrowser);

const flow = [
  shell('greet', 'printf "hello\\nworld\\n"; echo said >&2', { stdout: 'words.txt' }),
  shell('count', 'wc -l < "$VARVE_INPUT_GREET/words.txt"', { stdout: 'lines.txt', parentActions: ['greet'] }),
];

test(
  'a workflow is written, checked, submitted, watched, and its result downloaded',
  options,
  async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t);
    const page = await openPage(t, server.url);
    await page.goto('/');
    await page.getByRole('link', { name: 'Submit a workflow' }).click();
    await page.getByText('The document is complete and right.').waitFor();
    const editor = page.getByLabel('Workflow document');
    const write = async (text: string): Promise<void> => {
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
    };
    await write('name: wrong\nactions:\n  - id: a\n    comand: x\n');
    await page.getByText(/line 4/).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Submit' }).isDisabled());
    await write(JSON.stringify({ name: 'hello', actions: flow }));
    await page.getByText('The document is complete and right.').waitFor();
    await page.getByRole('button', { name: 'What would it do?' }).click();
    await page.getByText('2 actions of 2 would be computed.').waitFor();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.waitForURL('**/runs/1');
    await page.locator('h1 [data-state=SUCCEEDED]').waitFor();
    await page.getByRole('tab', { name: /Results/ }).click();
    await page.getByRole('link', { name: 'count', exact: true }).click();
    await page.getByLabel('Preview of lines.txt').getByText('2').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download lines.txt' }).click();
    assert.equal((await readFile(await (await download).path(), 'utf8')).trim(), '2');
    const archive = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download', exact: true }).click();
    assert.match((await archive).suggestedFilename(), /^count-[0-9a-f]{12}\.tar$/);
  },
);

test('a dropped document and the files that it names become a run', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const page = await openPage(t, server.url);
  await page.goto('/submit');
  const document =
    'name: dropped\nparams:\n  text: { file: story.txt }\nactions:\n  - id: copy\n    command: \'cat "$VARVE_INPUT_TEXT"\'\n    inputs: { text: "${params.text}" }\n    stdout: out.txt\n';
  const choose = page.locator('input[type=file]');
  await choose.setInputFiles({ name: 'flow.yaml', mimeType: 'text/yaml', buffer: Buffer.from(document) });
  await page.getByText('missing: drop it here').waitFor();
  await choose.setInputFiles({ name: 'story.txt', mimeType: 'text/plain', buffer: Buffer.from('a story\n') });
  await page.getByText('The document is complete and right.').waitFor();
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.locator('h1 [data-state=SUCCEEDED]').waitFor();
  await page.getByRole('tab', { name: /Results/ }).click();
  await page.getByRole('link', { name: 'copy', exact: true }).click();
  await page.getByLabel('Preview of out.txt').getByText('a story').waitFor();
});

test('what happens is shown at once, and a run is cancelled', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const page = await openPage(t, server.url);
  await page.goto('/runs');
  await page.getByText('No runs yet').waitFor();
  const { json } = await server.post('runs', {
    workflow: { name: 'slow', actions: [shell('wait', 'echo begun; sleep 60; echo ended')] },
  });
  await page.getByRole('table').getByText('slow').waitFor();
  await page.getByRole('link', { name: /slow/ }).first().click();
  await page.locator('canvas[data-nodes="1"]').waitFor();
  await page.getByRole('tab', { name: /Actions/ }).click();
  await page.getByRole('button', { name: 'wait', exact: true }).click();
  await page.getByLabel('Log, stdout').getByText('begun').waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.locator('h1 [data-state=CANCELLED]').waitFor();
  await page.getByRole('table').locator('[data-state=KILLED]').waitFor();
  assert.equal((await server.get(`runs/${json.run}`)).json.state, 'CANCELLED');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.waitForURL('**/runs/2');
  await page.locator('h1 [data-state=RUNNING]').waitFor();
  await server.post('runs/2/cancel');
  await server.varve.wait(2);
});

test('a broken connection is told and taken up again', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const page = await openPage(t, server.url, { allowed: /ERR_INTERNET_DISCONNECTED|Failed to load/ });
  await page.goto('/runs');
  await page.getByText('No runs yet').waitFor();
  await page.context().setOffline(true);
  // The stream that is open goes on; one that begins does not.
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    Object.defineProperty(document, 'hidden', { value: false, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
  await page.getByText('The connection to the server is broken.').waitFor();
  await server.run(flow);
  await page.context().setOffline(false);
  await page.getByText('The connection to the server is broken.').waitFor({ state: 'detached' });
  await page.getByRole('table').locator('[data-state=SUCCEEDED]').waitFor();
});

test('everything can be reached with keys, and the focus is seen', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  await server.run(flow);
  const page = await openPage(t, server.url);
  await page.goto('/runs');
  await page.getByRole('table').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  assert.equal(outline, 'solid');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/runs/1');
  const canvas = page.locator('canvas[data-nodes="2"]');
  await canvas.waitFor();
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('complementary', { name: 'Action greet' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('complementary', { name: 'Action count' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Graph' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Time line', selected: true }).waitFor();
  for (const [key, title] of [
    ['d', 'Datasets'],
    ['s', 'Storage'],
    ['w', 'Workers'],
    ['h', 'History'],
    [',', 'Settings'],
    ['r', 'Runs'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  await page.keyboard.press('/');
  assert.equal(
    await page.evaluate("document.activeElement.getAttribute('aria-label')"),
    'Search runs by name',
  );
});

test(
  'a phone shows every page without scrolling sideways, and its panel fills the screen',
  options,
  async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t, { set: ['storage.budget=1GB'] });
    const run = await server.run(flow);
    const [output] = (await server.get(`runs/${run}`)).json.outputs;
    const page = await openPage(t, server.url, phone);
    const pages = [
      'runs',
      `runs/${run}`,
      `runs/${run}?view=time`,
      `runs/${run}?view=table`,
      'submit',
      'datasets',
    ];
    for (const path of [
      ...pages,
      `datasets/${output.dataset}`,
      'storage',
      'workers',
      'history',
      'settings',
    ]) {
      await page.goto(`/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(wider <= 0, `${path} is ${wider} pixels too wide`);
      const main = await page.evaluate<number>(
        "document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth",
      );
      assert.ok(main <= 0, `the content of ${path} is ${main} pixels too wide`);
    }
    const { items } = (await server.get(`runs/${run}/actions`)).json;
    await page.goto(`/runs/${run}?action=${items[0].action}`);
    const box = await page.getByRole('complementary').boundingBox();
    assert.equal(box?.width, 390);
    await page.getByRole('button', { name: 'Close the panel' }).tap();
    await page.getByRole('complementary').waitFor({ state: 'detached' });
  },
);

test('the page is dark where the system is, and as chosen', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t, { roles: ['api'] });
  const page = await openPage(t, server.url, { colorScheme: 'dark' });
  const brightness = (): Promise<number> =>
    page.evaluate<number>(
      'Number(getComputedStyle(document.documentElement).backgroundColor.match(/[0-9]+/)[0])',
    );
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Light' }).waitFor();
  assert.ok((await brightness()) < 60);
  await page.getByRole('button', { name: 'Light' }).click();
  await eventually(async () => (await brightness()) > 200);
  await page.reload();
  assert.ok((await brightness()) > 200);
});

test('a dataset is pinned, deleted, restored, and its lineage walked', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  await server.run(flow);
  const { items } = (await server.get('datasets?name=greet')).json;
  const page = await openPage(t, server.url);
  await page.goto(`/datasets/${items[0].dataset}`);
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText('for ever').waitFor();
  await page.getByRole('button', { name: 'Unpin' }).click();
  await page.getByText('nobody: the budget may decide about it').waitFor();
  await page.getByRole('tab', { name: 'Lineage' }).click();
  await page.locator('canvas[data-nodes="2"]').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the files' }).click();
  await page.locator('h1 [data-state=DELETED]').waitFor();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.waitForURL('**/runs/2');
  await page.locator('h1 [data-state=SUCCEEDED]').waitFor();
});

test(
  'where users must prove who they are, a token opens the page, and no more than the token may',
  options,
  async (context) => {
    const t = lastFirst(context);
    const server = await startTestServer(t, { set: ['server.authentication=required'] });
    await server.varve.store.write((tx) =>
      tx.putAccount({
        name: 'ann',
        role: 'admin',
        projects: ['maps'],
        subject: null,
        createdAt: Date.now(),
        createdBy: 'test',
        disabledAt: null,
      }),
    );
    const { newSecret, secretHash } = await import('../../src/server/accounts.ts');
    const secret = newSecret('token');
    await server.varve.store.write((tx) =>
      tx.addToken(
        {
          account: 'ann',
          name: 'browser',
          role: 'submitter',
          project: null,
          createdAt: Date.now(),
          expiresAt: null,
        },
        secretHash(secret),
      ),
    );
    const page = await openPage(t, server.url, { allowed: /401/ });
    await page.goto('/runs');
    await page.getByLabel('Token').fill('varve_token_wrong');
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(secret);
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByText('No runs yet').waitFor();
    await page.getByText('ann, submitter').waitFor();
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Users' }).count(), 0);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
  },
);

test('an administrator pauses a worker and lets it work again', options, async (context) => {
  const t = lastFirst(context);
  const server = await startTestServer(t);
  const page = await openPage(t, server.url);
  await page.goto('/workers');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('table').locator('[data-state=PAUSED]').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('table').locator('[data-state=ACTIVE]').waitFor();
});
