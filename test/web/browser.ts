// A real browser for tests of the web page: the system's Chromium. Whatever a page complains about in its console is a failure.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((path) => existsSync(path));

/** Why tests in a browser are skipped here; false when they are not. */
export const noBrowser =
  executablePath === undefined ? 'no chromium is installed (apt-get install chromium)' : false;

let running: Promise<Browser> | undefined;

export async function closeBrowser(): Promise<void> {
  await (await running)?.close();
}

export interface OpenOptions extends BrowserContextOptions {
  /** What the page may complain about. */
  readonly allowed?: RegExp;
}

/** What is set up last is taken down first: a page that outlived its server would complain. */
export interface Cleanup {
  after(action: () => Promise<void>): void;
}

export function lastFirst(t: Cleanup): Cleanup {
  const actions: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const action of actions.reverse()) await action();
  });
  return { after: (action) => void actions.push(action) };
}

/** A page of its own with a clean profile; closed at the end of the test. */
export async function openPage(t: Cleanup, url: string, options: OpenOptions = {}): Promise<Page> {
  running ??= chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] });
  const { allowed, ...contextOptions } = options;
  const context = await (await running).newContext({ baseURL: url, ...contextOptions });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && !allowed?.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  return page;
}

export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};
