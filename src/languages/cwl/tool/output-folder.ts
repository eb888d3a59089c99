// The output directory of a finished command, as the command saw it and as it is on this machine. Describes what is in it, and refuses
// what leads out of it.
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { cwlErrors } from '../error-codes.ts';
import { pathOfUrl, urlOfPath } from '../load/uri.ts';
import { type CwlPath, splitName } from '../values/file-object.ts';
import type { StageEntry } from './stage-plan.ts';

export class OutputFolder {
  /** The directory on this machine. */
  readonly host: string;
  /** The directory as the command saw it. */
  readonly visible: string;
  /** Real paths of the inputs: links to them are allowed. */
  private readonly inputs: ReadonlySet<string>;
  private readonly staged: ReadonlyMap<string, string>;

  constructor(host: string, visible: string, stage: readonly StageEntry[]) {
    this.host = realpathSync.native(host);
    this.visible = visible;
    const links = stage.flatMap((entry) => ('source' in entry ? [entry] : []));
    this.inputs = new Set(links.map(({ source }) => realPath(source) ?? source));
    this.staged = new Map(links.map(({ target, source }) => [target, source]));
  }

  /** A path of the command, relative to the output directory; throws when it is outside. */
  relative(path: string): string {
    if (!path.startsWith('/')) {
      const inside = posix.normalize(path);
      if (inside === '..' || inside.startsWith('../')) throw outside(path);
      return inside;
    }
    for (const base of [this.visible, this.host]) {
      if (path === base || path === `${base}/`) return '.';
      if (path.startsWith(`${base}/`)) return this.relative(path.slice(base.length + 1));
    }
    throw outside(path);
  }

  /** The path that a location means to the command. */
  visiblePath(location: string): string {
    return pathOfUrl(location) ?? location;
  }

  /** The File or Directory at a path that the command saw, in the output directory or among its inputs. */
  describe(path: string, expected?: CwlPath['class']): CwlPath {
    const host = this.hostPath(path);
    const facts = statSync(host, { throwIfNoEntry: false });
    if (facts === undefined) throw cwlErrors.CWL_OUTPUT(posix.basename(path), 'it does not exist');
    this.checkLinks(host, path);
    const kind = facts.isDirectory() ? 'Directory' : 'File';
    if (expected !== undefined && kind !== expected)
      throw cwlErrors.CWL_OUTPUT(posix.basename(path), `it is a ${kind}, not a ${expected}`);
    const basename = posix.basename(path);
    const common = {
      location: urlOfPath(host),
      path: posix.isAbsolute(path) ? path : posix.join(this.visible, path),
      basename,
    };
    if (kind === 'Directory') return { class: kind, ...common };
    return {
      class: kind,
      ...common,
      ...splitName(basename),
      dirname: posix.dirname(common.path),
      size: facts.size,
    };
  }

  private hostPath(path: string): string {
    if (path.startsWith('/')) {
      for (const [target, source] of this.staged) {
        if (path === target) return target.startsWith(`${this.visible}/`) ? this.inOutput(path) : source;
        if (path.startsWith(`${target}/`) && !target.startsWith(`${this.visible}/`))
          return source + path.slice(target.length);
      }
      if ([...this.inputs].some((input) => path === input || path.startsWith(`${input}/`))) return path;
    }
    return this.inOutput(path);
  }

  private inOutput(path: string): string {
    return posix.join(this.host, this.relative(path));
  }

  /** A link may lead to something inside the output directory or to an input, nowhere else. */
  private checkLinks(host: string, path: string): void {
    const real = realPath(host, this.host);
    if (real === undefined || real === this.host || real.startsWith(`${this.host}/`)) return;
    for (const input of this.inputs) if (real === input || real.startsWith(`${input}/`)) return;
    if (lstatSync(host).isSymbolicLink())
      throw cwlErrors.CWL_OUTPUT(
        posix.basename(path),
        `it is a link to ${real}, outside the output directory`,
      );
    throw outside(path);
  }
}

function outside(path: string): Error {
  return cwlErrors.CWL_OUTPUT(posix.basename(path), `${path} is outside the output directory`);
}

/** The real path of something that may be in a folder, whose own real path is given: what is right in it and no link is where it seems to be. */
export function realPathIn(folder: string | undefined, path: string): string {
  const isRightIn = posix.dirname(path) === folder && posix.normalize(path) === path;
  return isRightIn && !lstatSync(path).isSymbolicLink() ? path : realpathSync.native(path);
}

function realPath(path: string, folder?: string): string | undefined {
  try {
    return realPathIn(folder, path);
  } catch {
    return undefined;
  }
}
