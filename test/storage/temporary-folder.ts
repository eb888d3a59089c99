// A folder of its own for each test, removed afterwards whatever the modes in it; in memory where the machine offers that
// and the test makes thousands of files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function temporaryFolder(t: TestContext, where: 'disk' | 'memory' = 'disk'): string {
  const parent = where === 'memory' && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'varve-storage-'));
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    execFileSync('rm', ['-rf', folder]);
  });
  return folder;
}
