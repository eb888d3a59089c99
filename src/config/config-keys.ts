// Every configuration key. The typed Config object, the check of the file, the names of environment variables, `varve config keys`
// and docs/reference/configuration.md all come from this table.
import type { ValueTypeName, ValueTypes } from './value-types.ts';

export interface KeySpec {
  readonly type: ValueTypeName;
  readonly choices?: readonly string[];
  readonly min?: number;
  /** As a user would write it; `{home}` stands for the home folder. Without it the value may be undefined. */
  readonly default?: string;
  /** What an undefined value means. */
  readonly otherwise?: string;
  /** True for a key that decides where the file is, so that it cannot stand in it. */
  readonly outsideFile?: true;
  readonly description: string;
}

const durability = ['full', 'normal'] as const;

export const configKeys = {
  home: {
    type: 'path',
    otherwise: "the platform's data folder",
    outsideFile: true,
    description: 'The folder that holds the store, the datasets, varve.yaml and crash reports.',
  },
  'store.url': {
    type: 'store-url',
    default: 'sqlite:{home}/varve.db',
    description:
      'The database that coordinates everything: an SQLite file, or a PostgreSQL server (14 or newer).',
  },
  'store.durability': {
    type: 'choice',
    choices: durability,
    default: 'full',
    description:
      'full: a reported state survives power loss. normal: it survives the death of every process, but the last moments before a power loss may be missing.',
  },
  'store.poolSize': {
    type: 'integer',
    min: 1,
    default: '8',
    description: 'Connections that one process opens to PostgreSQL.',
  },
  'store.waitSeconds': {
    type: 'integer',
    min: 1,
    default: '60',
    description: 'Seconds to wait for a database that does not answer, or for the lock of another process.',
  },
  'storage.root': {
    type: 'path',
    default: '{home}/datasets',
    description:
      'The folder for the files of datasets; on a shared file system when several machines work together.',
  },
  'storage.durability': {
    type: 'choice',
    choices: durability,
    default: 'normal',
    description:
      'full: files are forced to disk before a dataset counts as stored. normal: files that a power loss damaged are found and computed again.',
  },
  'storage.budget': {
    type: 'bytes-or-percent',
    otherwise: 'no limit',
    description: 'Bytes that datasets may occupy, or a share of the file system that holds them.',
  },
  'storage.highWatermark': {
    type: 'percent',
    default: '90%',
    description: 'Share of the budget at which datasets begin to be given up.',
  },
  'storage.lowWatermark': {
    type: 'percent',
    default: '80%',
    description: 'Share of the budget down to which space is then freed.',
  },
  'storage.results': {
    type: 'choice',
    choices: ['inside', 'outside'],
    default: 'inside',
    description:
      'inside: results of runs count against the budget, although they are never given up. outside: only intermediate datasets count.',
  },
  'execution.cores': {
    type: 'integer',
    min: 1,
    otherwise: 'all cores of the machine',
    description: 'Cores that actions on this machine share.',
  },
  'execution.memory': {
    type: 'bytes-or-percent',
    otherwise: 'all memory of the machine',
    description: 'Memory that actions on this machine share.',
  },
  'execution.launcher': {
    type: 'choice',
    choices: ['auto', 'c', 'sh'],
    default: 'auto',
    description:
      'The helper that starts processes: c is the fastest and is compiled once, sh needs no compiler, auto takes c where it can.',
  },
  'execution.sandbox': {
    type: 'choice',
    choices: ['off', 'on', 'required'],
    default: 'off',
    description:
      'Confine actions on this machine with bubblewrap: only their own folder is writable, /tmp is private, and there is no network unless the action declares it. on makes do without where it is impossible, required runs nothing then.',
  },
  'execution.leaseSeconds': {
    type: 'integer',
    min: 1,
    default: '30',
    description: 'Seconds after which the work of a process that no longer answers is taken over by another.',
  },
  'execution.container': {
    type: 'choice',
    choices: ['auto', 'docker', 'podman', 'apptainer', 'none'],
    default: 'auto',
    description: 'The program that runs containers; auto takes the first that is installed.',
  },
  'execution.tags': {
    type: 'texts',
    default: '',
    description:
      'What this machine offers, such as gpu: actions that demand tags run only where all of them are offered.',
  },
  'decisions.algorithm': {
    type: 'text',
    default: 'hamr',
    description: 'The decision algorithm: the name of a shipped one, a file, or an npm package.',
  },
  'decisions.fallback': {
    type: 'text',
    default: 'gdsf',
    description: 'The algorithm that takes over when the first one fails or takes too long.',
  },
  'decisions.timeLimit': {
    type: 'duration',
    default: '10s',
    description: 'Time that a decision may take before the fallback takes over.',
  },
  'history.retention': {
    type: 'duration',
    otherwise: 'for ever',
    description:
      'Age at which the details of ended runs are compacted into the statistics that decisions need.',
  },
  'server.listen': {
    type: 'listen-address',
    default: '127.0.0.1:7433',
    description:
      'Where `varve serve` listens. Anywhere but on the loopback interface it demands that users prove who they are.',
  },
  'server.roles': {
    type: 'texts',
    choices: ['api', 'manager', 'worker'],
    default: 'api,manager,worker',
    description:
      'What `varve serve` does: answer requests, look after datasets and the budget, run actions. Any number of processes may share a store.',
  },
  'server.authentication': {
    type: 'choice',
    choices: ['auto', 'required'],
    default: 'auto',
    description:
      'auto: required as soon as there are users, OpenID Connect is set up, or the server listens beyond the loopback interface; until then the user of the machine may do everything. required: always.',
  },
  'server.publicUrl': {
    type: 'web-url',
    otherwise: 'the address that the server listens on',
    description:
      'The address under which people reach the server, such as https://varve.example.org behind a reverse proxy; cookies and log-ins depend on it.',
  },
  'server.trustedProxies': {
    type: 'texts',
    default: '127.0.0.1,::1',
    description: 'Addresses of reverse proxies whose X-Forwarded-For is believed.',
  },
  'server.bodyLimit': {
    type: 'bytes',
    default: '16MB',
    description: 'The largest request body, uploads excepted; workflow documents are part of it.',
  },
  'server.uploadLimit': {
    type: 'bytes',
    default: '100GB',
    description: 'The largest file that may be uploaded for a submission.',
  },
  'server.requestTimeout': {
    type: 'duration',
    default: '30s',
    description:
      'Time within which the headers and the body of a request must arrive; uploads may take an hour.',
  },
  'server.rateLimit': {
    type: 'integer',
    min: 0,
    default: '500',
    description: 'Requests that one user or address may make per second; 0 for no limit.',
  },
  'server.inputFolders': {
    type: 'paths',
    default: '',
    description:
      "Folders of the server's machine from which submitted workflows may read files by absolute path.",
  },
  'server.inputHosts': {
    type: 'texts',
    default: '',
    description:
      'Hosts from which submitted workflows may fetch `url` inputs: names, with a port where it is not the usual one.',
  },
  'oidc.issuer': {
    type: 'web-url',
    otherwise: 'no log-in by OpenID Connect',
    description: 'The OpenID provider by which people log in to the web page.',
  },
  'oidc.clientId': {
    type: 'text',
    default: 'varve',
    description: 'The name of this server at the OpenID provider.',
  },
  'oidc.clientSecret': {
    type: 'secret',
    otherwise: 'a public client',
    description: 'The secret that the OpenID provider gave; better in the variable than in the file.',
  },
  'oidc.userClaim': {
    type: 'text',
    default: 'preferred_username',
    description: 'The claim of the ID token that becomes the name of a new user.',
  },
  'oidc.newUsers': {
    type: 'choice',
    choices: ['refuse', 'viewer', 'submitter'],
    default: 'refuse',
    description:
      'What becomes of people whom the provider knows and this server does not: refused, or added with a role.',
  },
  'oidc.sessionTime': {
    type: 'duration',
    default: '12h',
    description: 'How long a log-in to the web page lasts.',
  },
  'log.level': {
    type: 'choice',
    choices: ['error', 'warn', 'info', 'debug'],
    default: 'info',
    description: 'The least important messages that are still logged.',
  },
  'tracing.endpoint': {
    type: 'web-url',
    otherwise: 'no traces',
    description:
      'An OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318: requests, runs, actions and attempts are told to it as spans.',
  },
  'tracing.headers': {
    type: 'secret',
    otherwise: 'none',
    description: 'Headers for the collector, as name=value,name=value; values percent-encoded.',
  },
  'tracing.share': {
    type: 'percent',
    default: '100%',
    description:
      'Share of traces that are told of. Of requests that come with a `traceparent` header, its own mark decides.',
  },
} as const satisfies Record<string, KeySpec>;

export type ConfigKey = keyof typeof configKeys;

type KeyValue<S extends KeySpec> =
  | (S extends { type: 'choice'; choices: readonly (infer C)[] } ? C : ValueTypes[S['type']])
  | (S extends { default: string } ? never : S extends { outsideFile: true } ? never : undefined);

export type ConfigValue<K extends ConfigKey> = KeyValue<(typeof configKeys)[K]>;

type Section<K extends string> = K extends `${infer S}.${string}` ? S : never;
type Within<K extends string, S extends string> = K extends `${S}.${infer N}` ? N : never;

/** The whole configuration, nested as in the file: `config.store.url`. */
export type Config = { readonly home: string } & {
  readonly [S in Section<ConfigKey>]: {
    readonly [N in Within<ConfigKey, S>]: ConfigValue<Extract<ConfigKey, `${S}.${N}`>>;
  };
};

export const configKeyNames = Object.keys(configKeys) as ConfigKey[];

/** The key's row, without the narrow literal types. */
export function keySpec(key: ConfigKey): KeySpec {
  return configKeys[key];
}

/** `store.poolSize` is VARVE_STORE_POOL_SIZE. */
export function environmentName(key: ConfigKey): string {
  return `VARVE_${key.replace(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`;
}
