// `npm run docs`: the documentation as static pages in dist/docs, from where `varve serve` and browsers read it.
import { join, relative } from 'node:path';
import { buildSite } from './site/build-site.ts';

const folder = join(import.meta.dirname, '..', 'dist', 'docs');
const count = buildSite(folder);
console.log(`${relative(process.cwd(), folder)}: ${count} pages; open ${join(folder, 'index.html')}`);
