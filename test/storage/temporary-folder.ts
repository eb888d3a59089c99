// A folder of its own for each test, removed afterwards whatever the modes in it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-storage-'));
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    execFileSync('rm', ['-rf', folder]);
  });
  return folder;
}
