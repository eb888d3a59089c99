// Where Varve keeps its store, datasets, configuration and crash reports, unless told otherwise.
import { join, resolve } from 'node:path';
import { type Environment, variable } from './environment.ts';

/** The home folder, absolute: the flag, then VARVE_HOME, then the platform's data folder. */
export function homeFolder(environment: Environment, flag?: string): string {
  const given = flag ?? variable(environment, 'VARVE_HOME');
  return given === undefined
    ? dataFolder(environment)
    : resolve(environment.workingFolder, expandUser(given, environment));
}

/** `~` and `~/x` as a path below the user's folder. */
export function expandUser(path: string, environment: Environment): string {
  return path === '~' || path.startsWith('~/') ? join(environment.userFolder, path.slice(1)) : path;
}

function dataFolder(environment: Environment): string {
  const { platform, userFolder } = environment;
  if (platform === 'darwin') return join(userFolder, 'Library', 'Application Support', 'varve');
  if (platform === 'win32') {
    return join(variable(environment, 'LOCALAPPDATA') ?? join(userFolder, 'AppData', 'Local'), 'varve');
  }
  return join(variable(environment, 'XDG_DATA_HOME') ?? join(userFolder, '.local', 'share'), 'varve');
}
