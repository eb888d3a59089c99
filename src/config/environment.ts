// The one reader of the environment: variables, platform and the user's folder enter Varve here and nowhere else, so that tests
// and the clean environment of actions stay free of whatever the caller's shell contains.
import { homedir } from 'node:os';

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The user's own folder, for `~` and the platform's data folder. */
  readonly userFolder: string;
  readonly workingFolder: string;
}

/** The environment of this process, as it is now. */
export function readEnvironment(): Environment {
  return {
    variables: process.env,
    platform: process.platform,
    userFolder: homedir(),
    // Asked for when needed: it fails when the folder was removed, and most commands do not need it.
    get workingFolder() {
      return process.cwd();
    },
  };
}

/** A variable's value; an empty one counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  return environment.variables[name] || undefined;
}
