// Lines of the log are written many at once, and none of them gets lost: into a real file, and into a real pipe that nobody reads for a while.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bufferedLog } from '../../src/server/http/log-stream.ts';
import { eventually } from './test-server.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const info = (text: string): string => `{"level":30,"msg":"${text}"}\n`;
const warning = '{"level":40,"msg":"careful"}\n';

test('a warning is written at once, after everything before it; the rest comes at the end', (t) => {
  const path = join(folderOf(t), 'log');
  const descriptor = openSync(path, 'w');
  t.after(() => closeSync(descriptor));
  const log = bufferedLog(descriptor);
  log.write(info('one'));
  log.write(warning);
  assert.equal(readFileSync(path, 'utf8'), info('one') + warning);
  log.write(info('two'));
  log.close();
  assert.equal(readFileSync(path, 'utf8'), info('one') + warning + info('two'));
});

test('lines wait for a reader that is slow, whole and in order', async (t) => {
  const path = join(folderOf(t), 'pipe');
  execFileSync('mkfifo', [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(descriptor));
  const log = bufferedLog(descriptor);
  let written = '';
  for (let i = 0; written.length < 300_000; i += 1) {
    const line = info(`línea ${i}`);
    written += line;
    log.write(line);
  }
  const wanted = Buffer.from(written);
  const pieces: Buffer[] = [];
  let received = 0;
  await eventually(async () => {
    for (;;) {
      const piece = Buffer.alloc(1 << 16);
      let count = 0;
      try {
        count = readSync(descriptor, piece);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      }
      if (count === 0) return received >= wanted.length;
      pieces.push(piece.subarray(0, count));
      received += count;
    }
  });
  log.close();
  assert.ok(Buffer.concat(pieces).equals(wanted));
});
