// Podman with a store of its own, and an image for it that is made of this machine's programs: no registry is needed, and what a
// developer keeps in the usual store is left alone.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

export function podmanRuns(): boolean {
  try {
    execFileSync('podman', ['info'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/** Settings that podman starts with where limits may not be raised, or with old control groups. */
export function writeContainersConf(folder: string): string {
  const path = join(folder, 'containers.conf');
  writeFileSync(
    path,
    '[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:20000", "nproc=1000:2000"]\n',
  );
  return path;
}

/** The environment in which podman keeps everything below a folder. */
export function separateStore(folder: string): Record<string, string> {
  const driver = execFileSync('podman', ['info', '--format', '{{.Store.GraphDriverName}}'], {
    encoding: 'utf8',
  });
  const conf = join(folder, 'storage.conf');
  const place = (name: string): string => `${name} = ${JSON.stringify(join(folder, name))}\n`;
  writeFileSync(conf, `[storage]\ndriver = "${driver.trim()}"\n${place('graphroot')}${place('runroot')}`);
  return { CONTAINERS_CONF: writeContainersConf(folder), CONTAINERS_STORAGE_CONF: conf };
}

const programs = ['sh', 'bash', 'env', 'cat', 'echo', 'head', 'ls', 'mkdir', 'touch', 'python3'];

/** A root file system with a shell, a few tools and Python, as a tar file. */
export function machineRoot(folder: string): string {
  const root = join(folder, 'root');
  for (const name of ['usr/bin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'tmp', 'etc', 'proc', 'sys', 'dev'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  const brought = programs.map((name) => join('/usr/bin', name));
  for (const path of brought) bring(realpathSync(path), root, path);
  symlinkSync('python3', join(root, 'usr/bin/python'));
  const listed = execFileSync('ldd', brought, { encoding: 'utf8' });
  const libraries = new Set(listed.match(/\/\S+(?= \(0x)/g) ?? []);
  for (const path of libraries) bring(path, root);
  const standardLibrary = execFileSync(
    '/usr/bin/python3',
    ['-c', 'import sysconfig; print(sysconfig.get_path("stdlib"))'],
    { encoding: 'utf8' },
  ).trim();
  const left = new Set(['dist-packages', 'site-packages', '__pycache__', 'test']);
  cpSync(standardLibrary, join(root, standardLibrary), {
    recursive: true,
    dereference: true,
    filter: (path) => !left.has(basename(path)) && existsSync(path),
  });
  // As the entry points of public images do: what is no command is given to the shell.
  const entry = '#!/bin/bash\n[ "${1#-}" = "$1" ] || set -- bash "$@"\nexec "$@"\n';
  writeFileSync(join(root, 'usr/local/bin/entry'), entry, { mode: 0o755 });
  execFileSync('tar', ['-C', root, '-cf', join(folder, 'root.tar'), '.']);
  return join(folder, 'root.tar');
}

function bring(path: string, root: string, as = path): void {
  mkdirSync(dirname(join(root, as)), { recursive: true });
  copyFileSync(path, join(root, as));
}
