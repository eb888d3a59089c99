import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { FaultyStorage } from '../../src/storage/faulty.ts';
import { openLocalStorage } from '../../src/storage/local/local-storage.ts';
import { storageContract } from './contract.ts';
import { temporaryFolder } from './temporary-folder.ts';

const open = async (t: TestContext, durability: 'normal' | 'full') => {
  const storage = openLocalStorage({ root: join(temporaryFolder(t), 'made/on/first use'), durability });
  t.after(() => storage.close());
  return storage;
};

storageContract({ name: 'local, normal durability', open: (t) => open(t, 'normal') });
storageContract({ name: 'local, full durability', open: (t) => open(t, 'full') });
storageContract({
  name: 'faulty without a fault',
  open: async (t) => new FaultyStorage(await open(t, 'normal'), () => undefined),
});
