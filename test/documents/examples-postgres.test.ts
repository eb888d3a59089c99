import { testDatabase } from '../postgres.ts';
import { testExamples } from './example-pages.ts';

testExamples('PostgreSQL', async (t) => {
  const database = await testDatabase(t);
  return 'skip' in database ? database : { env: { VARVE_STORE_URL: database.url } };
});
