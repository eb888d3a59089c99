// Puts the configuration together: flags, then environment variables, then the file, then defaults. All problems are reported at
// once, each with the place it came from.
import { dirname, join, resolve } from 'node:path';
import { closest, didYouMean } from '../core/closest.ts';
import type { SourcePlace, VarveError } from '../core/errors.ts';
import { readConfigFile } from './config-file.ts';
import { type Config, type ConfigKey, configKeyNames, environmentName, keySpec } from './config-keys.ts';
import { type Environment, variable } from './environment.ts';
import { configErrors } from './error-codes.ts';
import { expandUser, homeFolder } from './home-folder.ts';
import { type RawValue, type ReadContext, type ValueTypes, valueTypes } from './value-types.ts';

export interface ConfigFlags {
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  /** `KEY=VALUE`, of --set. */
  readonly set?: readonly string[] | undefined;
}

export type ConfigOrigin = 'flag' | 'environment' | 'file' | 'default';

/** Where a value came from, for `varve config show`. */
export interface ConfigSource {
  readonly origin: ConfigOrigin;
  /** The flag, the variable, or `file:line`. */
  readonly detail: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: ReadonlyMap<ConfigKey, ConfigSource>;
  readonly file: { readonly path: string; readonly found: boolean };
  readonly warnings: readonly string[];
}

interface Setting {
  readonly value: RawValue;
  readonly source: ConfigSource;
  readonly baseFolder: string;
  readonly place?: SourcePlace;
}

/** The configuration for these flags in this environment; throws one VarveError with all problems. */
export async function loadConfig(environment: Environment, flags: ConfigFlags = {}): Promise<LoadedConfig> {
  const home = homeFolder(environment, flags.home);
  const file = configFilePath(environment, flags, home);
  const found = await readConfigFile(file.path);
  if (found === undefined && file.asked) throw configErrors.CONFIG_FILE_MISSING(file.path);

  const problems: VarveError[] = [...(found?.problems ?? [])];
  const settings = new Map<ConfigKey, Setting>();
  for (const { key, value, place } of found?.settings ?? []) {
    const source: ConfigSource = { origin: 'file', detail: `${place.file}:${place.line}` };
    settings.set(key, { value, source, baseFolder: dirname(file.path), place });
  }
  addVariables(settings, environment);
  addFlags(settings, environment, flags, problems);

  const config: Record<string, unknown> = {};
  const sources = new Map<ConfigKey, ConfigSource>();
  for (const key of configKeyNames) {
    const setting = settings.get(key) ?? defaultSetting(key, home);
    const value =
      key === 'home' ? home : setting === undefined ? undefined : read(key, setting, environment, problems);
    sources.set(key, setting?.source ?? { origin: 'default', detail: keySpec(key).otherwise ?? '' });
    assign(config, key, value);
  }
  const complete = config as Config;
  checkTogether(complete, problems);
  if (problems.length === 1) throw problems[0];
  if (problems.length > 1) throw configErrors.CONFIG_INVALID.with({ problems }, problems.length);
  return {
    config: complete,
    sources,
    file: { path: file.path, found: found !== undefined },
    warnings: misspelledVariables(environment),
  };
}

/** Where the file is looked for, and whether the user named it. */
export function configFilePath(
  environment: Environment,
  flags: ConfigFlags,
  home: string,
): { path: string; asked: boolean } {
  const asked = flags.config ?? variable(environment, 'VARVE_CONFIG');
  if (asked === undefined) return { path: join(home, 'varve.yaml'), asked: false };
  return { path: resolve(environment.workingFolder, expandUser(asked, environment)), asked: true };
}

function addVariables(settings: Map<ConfigKey, Setting>, environment: Environment): void {
  for (const key of configKeyNames) {
    const name = environmentName(key);
    const value = variable(environment, name);
    if (value === undefined) continue;
    const source: ConfigSource = { origin: 'environment', detail: name };
    settings.set(key, { value, source, baseFolder: environment.workingFolder });
  }
}

function addFlags(
  settings: Map<ConfigKey, Setting>,
  environment: Environment,
  flags: ConfigFlags,
  problems: VarveError[],
): void {
  const baseFolder = environment.workingFolder;
  for (const text of flags.set ?? []) {
    const [, key = '', value = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    const known = configKeyNames.find((name) => name === key);
    if (key === '') problems.push(configErrors.CONFIG_SET_SYNTAX(text));
    else if (known === undefined) {
      const hint = didYouMean(key, configKeyNames);
      problems.push(configErrors.CONFIG_UNKNOWN_KEY.with(hint ? { hint } : {}, key));
    } else if (keySpec(known).outsideFile) {
      problems.push(configErrors.CONFIG_MISPLACED_KEY(known, environmentName(known)));
    } else settings.set(known, { value, source: { origin: 'flag', detail: `--set ${key}` }, baseFolder });
  }
  if (flags.home !== undefined) {
    settings.set('home', { value: flags.home, source: { origin: 'flag', detail: '--home' }, baseFolder });
  }
}

function defaultSetting(key: ConfigKey, home: string): Setting | undefined {
  const text = keySpec(key).default;
  if (text === undefined) return undefined;
  return {
    value: text.replace('{home}', home),
    source: { origin: 'default', detail: '' },
    baseFolder: home,
  };
}

function read(
  key: ConfigKey,
  setting: Setting,
  environment: Environment,
  problems: VarveError[],
): ValueTypes[keyof ValueTypes] | undefined {
  const spec = keySpec(key);
  const type = valueTypes[spec.type];
  const context: ReadContext = {
    baseFolder: setting.baseFolder,
    expandUser: (path) => expandUser(path, environment),
    choices: spec.choices,
    min: spec.min,
  };
  const list = typeof setting.value !== 'string';
  const text = typeof setting.value === 'string' ? setting.value.trim() : setting.value.join(':');
  const value = list
    ? type.readList?.(setting.value as readonly string[], context)
    : type.read(text, context);
  if (value === undefined) {
    const origin = setting.source.origin === 'file' ? key : `${setting.source.detail} (${key})`;
    const hint = spec.choices && didYouMean(text, spec.choices);
    const shown = typeof setting.value === 'string' ? JSON.stringify(text) : `[${setting.value.join(', ')}]`;
    problems.push(
      configErrors.CONFIG_VALUE.with({ place: setting.place, hint }, origin, shown, type.expected(context)),
    );
  }
  return value;
}

function assign(config: Record<string, unknown>, key: string, value: unknown): void {
  const [section, name] = key.split('.') as [string, string?];
  if (name === undefined) config[section] = value;
  else ((config[section] ??= {}) as Record<string, unknown>)[name] = value;
}

function checkTogether(config: Config, problems: VarveError[]): void {
  const { lowWatermark: low, highWatermark: high } = config.storage;
  if (low > high) {
    const { show } = valueTypes.percent;
    problems.push(configErrors.CONFIG_WATERMARKS(show(low), show(high)));
  }
}

/** Variables that look like a misspelled key. Others that begin with VARVE_ belong to actions and tests. */
function misspelledVariables(environment: Environment): string[] {
  const known = [
    ...configKeyNames.map(environmentName),
    'VARVE_CONFIG',
    'VARVE_DEBUG',
    'VARVE_SERVER',
    'VARVE_TOKEN',
  ];
  const foreign = /^VARVE_(INPUT|OUTPUT|TEST)(_|$)/;
  return Object.keys(environment.variables)
    .filter((name) => name.startsWith('VARVE_') && !foreign.test(name) && !known.includes(name))
    .map((name) => {
      const meant = closest(name, known);
      return `the variable ${name} is not known and was ignored${meant ? `; did you mean ${meant}?` : ''}`;
    });
}
