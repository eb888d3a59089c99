import { testExamples } from './example-pages.ts';

testExamples('SQLite', async () => ({ env: {} }));
