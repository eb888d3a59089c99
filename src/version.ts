// The version of this package, read once from package.json. The path holds for src/ and for the flat bundle in dist/ alike.
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export const version: string = manifest.version;
