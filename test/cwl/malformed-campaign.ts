// `npm run fuzz -- [--count 20000] [--from 0]`: spoils that many documents of the conformance suite and checks each. A process of its own
// does a hundred at a time, so that one that never ends is found out; whatever is refused in a wrong way is shown with its number.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mostMs, Spoiler, wrongRefusal } from './malformed.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    here: { type: 'boolean', default: false },
  },
});
const first = Number(values.from);
const count = Number(values.count);
const batch = 100;

if (values.here) await check(first, count);
else {
  let wrong = 0;
  for (let from = first; from < first + count; from += batch) {
    const size = Math.min(batch, first + count - from);
    const args = [import.meta.filename, '--here', '--from', String(from), '--count', String(size)];
    const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: batch * mostMs });
    if (done.status === 0) continue;
    wrong += 1;
    process.stdout.write(done.stdout + done.stderr);
    if (done.status === null) console.log(`numbers from ${from}: ended by ${done.signal}`);
  }
  console.log(
    `${count} documents from number ${first}: ${wrong === 0 ? 'each was read or refused with its place' : `${wrong} batches with wrong refusals`}`,
  );
  process.exitCode = wrong === 0 ? 0 : 1;
}

async function check(from: number, size: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-fuzz-'));
  try {
    const spoiler = new Spoiler(folder);
    for (let number = from; number < from + size; number += 1) {
      const spoiled = spoiler.spoil(number);
      const wrong = await wrongRefusal(spoiled);
      if (wrong === undefined) continue;
      console.log(`${spoiled.what}: ${wrong}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
