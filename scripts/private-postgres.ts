// Starts a PostgreSQL of our own for tests and benchmarks: a temporary cluster on a free port of 127.0.0.1, never as root.
// A small shell stands between us and the server. It waits on a pipe, so the server ends and its files go even when
// the process that asked for it is killed without warning.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export interface PrivatePostgres {
  /** `postgres://user:password@127.0.0.1:port/postgres`, with the right to create databases. */
  readonly url: string;
  /** Ends the server as a crash of the machine would and starts it again at once; resolves when it accepts connections. */
  crash(): Promise<void>;
  /** Ends the server and removes its files, unless they are to stay. Leaving it out is harmless: it ends with this process. */
  stop(): Promise<void>;
}

export interface PrivatePostgresOptions {
  /** True keeps fsync on, as benchmarks need it; tests do without. */
  readonly durable: boolean;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the cluster lies and stays; one that is there is used again. Without it the files are temporary. */
  readonly folder?: string;
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const run = promisify(execFile);
const readyLine = 'database system is ready to accept connections';
const startAttempts = 3;

// A server that ends without being asked to is started again.
const keeper = `
data=$1; stop=$2; stays=$3; shift 3
: >"$data/keep"
while [ -e "$data/keep" ]; do "$@" >>"$data/server.log" 2>&1; sleep 0.1; done &
loop=$!
cat >/dev/null
rm -f "$data/keep"
while kill -0 "$loop" 2>/dev/null; do
  kill -s "$stop" "$(head -n 1 "$data/data/postmaster.pid" 2>/dev/null)" 2>/dev/null
  sleep 0.05
done
[ -n "$stays" ] || rm -rf "$data"
`;

/** The folder with `initdb` and `postgres`, newest version first, or undefined when PostgreSQL is not installed. */
export function findPostgres(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => version(b) - version(a));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...debian, ...onPath].find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

function version(folder: string): number {
  return Number(/\/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
}

/** Starts a server and resolves once it accepts connections; undefined when PostgreSQL is not installed. */
export async function startPrivatePostgres(
  options: PrivatePostgresOptions,
): Promise<PrivatePostgres | undefined> {
  const bin = findPostgres();
  if (bin === undefined) return undefined;
  const account = await serverAccount();
  if (options.folder !== undefined) return startKept(bin, options.folder, account, options);
  const password = randomBytes(12).toString('hex');
  for (let attempt = 1; ; attempt += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'varve-postgres-'));
    try {
      await createCluster(bin, folder, account, password);
      return await startServer(bin, folder, account, password, options);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      if (attempt === startAttempts) throw error;
    }
  }
}

async function startKept(
  bin: string,
  folder: string,
  account: Account,
  options: PrivatePostgresOptions,
): Promise<PrivatePostgres> {
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) {
    mkdirSync(folder, { recursive: true });
    await createCluster(bin, folder, account, randomBytes(12).toString('hex'));
  }
  rmSync(join(folder, 'server.log'), { force: true });
  const password = readFileSync(join(folder, 'password'), 'utf8');
  return startServer(bin, folder, account, password, options);
}

/** PostgreSQL refuses to run as root, so root hands over to the account of the package, or else to nobody. */
async function serverAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined);
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
}

async function createCluster(bin: string, folder: string, account: Account, password: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(folder, account.uid, account.gid);
    chownSync(passwordFile, account.uid, account.gid);
  }
  const args = ['--no-sync', '-A', 'password', '-U', 'varve', `--pwfile=${passwordFile}`];
  const locale = ['-E', 'UTF8', '--no-locale'];
  await run(join(bin, 'initdb'), [...args, ...locale, '-D', join(folder, 'data')], {
    ...account,
    cwd: folder,
  });
}

async function startServer(
  bin: string,
  folder: string,
  account: Account,
  password: string,
  options: PrivatePostgresOptions,
): Promise<PrivatePostgres> {
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    ...(options.durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [join(bin, 'postgres'), '-D', join(folder, 'data'), ...flags];
  const stopSignal = options.durable ? 'INT' : 'QUIT';
  const shell = spawn(
    '/bin/sh',
    ['-c', keeper, 'keeper', folder, stopSignal, options.folder === undefined ? '' : 'stays', ...server],
    {
      ...account,
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    shell.ref();
    shell.stdin?.end();
    await ended;
    // The keeper could empty the folder but not remove it when its parent belongs to root with a sticky bit.
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  const log = join(folder, 'server.log');
  try {
    await ready(log, shell, 1);
  } catch (error) {
    await stop();
    throw error;
  }
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  const crash = async (): Promise<void> => {
    const times = starts(log);
    process.kill(
      Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
      'SIGQUIT',
    );
    await ready(log, shell, times + 1);
  };
  return { url: `postgres://varve:${password}@127.0.0.1:${port}/postgres`, crash, stop };
}

function starts(log: string): number {
  return existsSync(log) ? readFileSync(log, 'utf8').split(readyLine).length - 1 : 0;
}

/** Waits until the server has become ready for the n-th time. */
async function ready(log: string, shell: ChildProcess, times: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    if (starts(log) >= times) return;
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    if ((times === 1 && /FATAL|PANIC/.test(text)) || shell.exitCode !== null || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start:\n${text}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject()));
    });
  });
}
