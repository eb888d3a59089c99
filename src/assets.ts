// Files that travel with the code and are read at run time: C sources, shell scripts, SQL. They are named by their path below src/.
// The build copies them to the same path below dist/, and the bundle is flat, so one rule finds them from sources and from the
// package: they lie beside this file.
//
// Modules that are loaded by address (threads, algorithms by name) are named the same way. The build makes an entry of each of
// them, flat like the rest of the bundle, with dots for slashes.
import { fileURLToPath } from 'node:url';

/** True in the published package, false from sources. */
export const isBundled = import.meta.url.endsWith('.js');

/** The absolute path of an asset, for instance `assetPath('backends/local/launcher.c')`. */
export function assetPath(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}

/** The address of a module of ours without its extension, for instance `moduleUrl('decisions/plugin-thread')`. */
export function moduleUrl(name: string): URL {
  return new URL(isBundled ? `./${name.replaceAll('/', '.')}.js` : `./${name}.ts`, import.meta.url);
}

/** The absolute path of a file of the repository; there are such files only beside the sources. */
export function repositoryPath(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

/** The absolute path of a file of the package itself, for instance `packagePath('templates/project')`; src/ and dist/ lie directly in it. */
export function packagePath(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}
