// Files that travel with the code and are read at run time: C sources, shell scripts, SQL. They are named by their path below src/.
// The build copies them to the same path below dist/, and the bundle is flat, so one rule finds them from sources and from the
// package: they lie beside this file.
import { fileURLToPath } from 'node:url';

/** The absolute path of an asset, for instance `assetPath('backends/local/launcher.c')`. */
export function assetPath(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
