// How the files of an output object get into a dataset directory, and how they are described there: names, sizes, checksums, digests,
// complete listings. What the command left in its own folder is moved, stored datasets are linked, anything else is copied. Reads and
// hashes files, changes nothing.
import { realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Json, JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { pathOfUrl } from '../load/uri.ts';
import {
  digestBytes,
  digestEntries,
  digestFile,
  digestTree,
  type FileDigest,
} from '../values/content-digest.ts';
import {
  type CwlDirectory,
  type CwlFile,
  type CwlPath,
  isFile,
  isPath,
  mapPaths,
} from '../values/file-object.ts';
import { realPathIn } from './output-folder.ts';
import { OutputNames } from './output-names.ts';

export interface PublishRules {
  /** Real path of the folder whose files belong to the command; undefined when there was no command. */
  readonly folder?: string | undefined;
  /** Real paths of stored datasets. */
  readonly immutable: readonly string[];
  /** Real paths of other files that links may lead to: the command's inputs. */
  readonly inputs: readonly string[];
  /** Leave files that are neither the command's nor stored where they are, and refer to them. */
  readonly keepForeign: boolean;
}

/** One change to the dataset directory; names are relative to it. */
export type PublishStep =
  | { readonly do: 'folder'; readonly name: string }
  | { readonly do: 'write'; readonly name: string; readonly contents: string }
  | { readonly do: 'copy' | 'link' | 'move'; readonly name: string; readonly source: string };

export interface PublishPlan {
  /** The output object with locations relative to the dataset directory. */
  readonly outputs: JsonObject;
  readonly steps: readonly PublishStep[];
}

export async function planPublish(outputs: JsonObject, rules: PublishRules): Promise<PublishPlan> {
  const planner = new PublishPlanner(rules);
  const described = new Map<CwlPath, CwlPath>();
  const found: CwlPath[] = [];
  mapPaths(outputs, (path) => {
    found.push(path);
    return null;
  });
  // The command's own files keep their names, so they come first.
  const isOwn = (path: CwlPath) =>
    rules.folder !== undefined && isWithin(pathOfUrl(path.location ?? '') ?? '', rules.folder);
  found.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  for (const path of found) described.set(path, await planner.publish(path));
  const published = mapPaths(outputs, (path) => described.get(path)! as Json) as JsonObject;
  return { outputs: published, steps: planner.steps };
}

class PublishPlanner {
  readonly steps: PublishStep[] = [];
  private readonly rules: PublishRules;
  private readonly names = new OutputNames();
  private readonly done = new Map<string, Promise<CwlPath>>();

  constructor(rules: PublishRules) {
    this.rules = rules;
  }

  /** `beside` is the folder of the dataset that a part of something larger has to be in. */
  async publish(path: CwlPath, beside?: string): Promise<CwlPath> {
    const host = path.location === undefined ? undefined : pathOfUrl(path.location);
    if (host === undefined) return await this.publishLiteral(path, beside);
    if (beside === undefined && this.rules.keepForeign && this.isForeign(realpathSync.native(host)))
      return await this.describeForeign(path, host);
    const name = this.nameFor(path, host, beside);
    return await this.withExtras(path, await this.bring(host, name), name);
  }

  private nameFor(path: CwlPath, host: string, beside: string | undefined): string {
    const { folder } = this.rules;
    if (folder !== undefined && host === folder) return '';
    if (folder === undefined || !host.startsWith(`${folder}/`))
      return this.names.take(path.basename ?? posix.basename(host), host, beside);
    const own = host.slice(folder.length + 1);
    this.names.reserve(own, host);
    return own;
  }

  private async publishLiteral(path: CwlPath, beside: string | undefined): Promise<CwlPath> {
    if (path.location !== undefined) throw cwlErrors.CWL_OUTPUT(path.location, 'it is not on this machine');
    const name = this.names.take(path.basename ?? 'literal', undefined, beside);
    if (isFile(path)) {
      const contents = path.contents ?? '';
      this.steps.push({ do: 'write', name, contents });
      return await this.withExtras(path, fileObject(name, digestBytes(contents)), name);
    }
    this.steps.push({ do: 'folder', name });
    const listing: CwlPath[] = [];
    for (const entry of path.listing ?? []) if (isPath(entry)) listing.push(await this.publish(entry, name));
    return await this.withExtras(path, directoryObject(name, listing), name);
  }

  /** Own fields of the output object (format, basename, …) win over what the file says; secondary files come along. */
  private async withExtras(path: CwlPath, described: CwlPath, name: string): Promise<CwlPath> {
    const kept = without(path, [...computedFields, 'location', 'checksum', 'size']);
    const whole = { ...described, ...kept, digest: described.digest } as CwlPath;
    if (!isFile(path) || path.secondaryFiles === undefined) return whole;
    const folder = posix.dirname(name) === '.' ? '' : posix.dirname(name);
    const secondaryFiles: CwlPath[] = [];
    for (const one of path.secondaryFiles) secondaryFiles.push(await this.publish(one, folder));
    return { ...(whole as CwlFile), secondaryFiles };
  }

  private isForeign(real: string): boolean {
    return ![...this.rules.immutable, this.rules.folder].some(
      (base) => base !== undefined && isWithin(real, base),
    );
  }

  private async describeForeign(path: CwlPath, host: string): Promise<CwlPath> {
    const kept = without(path, computedFields);
    if (!isFile(path)) return { ...kept, digest: await digestTree(host) } as CwlPath;
    const { sizeBytes, sha1, sha256 } = await digestFile(host);
    const described = { ...kept, size: sizeBytes, checksum: `sha1$${sha1}`, digest: sha256 } as CwlFile;
    if (path.secondaryFiles === undefined) return described;
    const secondaryFiles: CwlPath[] = [];
    for (const one of path.secondaryFiles) secondaryFiles.push(await this.publish(one));
    return { ...described, secondaryFiles };
  }

  /** Plans a file or tree under a name, once. */
  private bring(host: string, name: string): Promise<CwlPath> {
    const known = this.done.get(name) ?? this.bringNew(host, name);
    this.done.set(name, known);
    return known;
  }

  private async bringNew(host: string, name: string): Promise<CwlPath> {
    const real = this.allowed(host);
    const facts = statSync(real);
    if (facts.isDirectory()) {
      this.steps.push({ do: 'folder', name });
      const listing: CwlPath[] = [];
      for (const entry of (await readdir(real)).sort())
        listing.push(await this.bring(posix.join(host, entry), posix.join(name, entry)));
      return directoryObject(name, listing);
    }
    if (!facts.isFile()) throw cwlErrors.CWL_OUTPUT(name, 'it is neither a file nor a directory');
    const digest = await digestFile(real, facts);
    this.steps.push({ do: this.wayOf(host, real), name, source: real });
    return fileObject(name, digest);
  }

  private wayOf(host: string, real: string): 'copy' | 'link' | 'move' {
    const { folder, immutable } = this.rules;
    // A link to another file of the command needs a file of its own: the other one may be an output too.
    if (folder !== undefined && isWithin(real, folder)) return real === host ? 'move' : 'copy';
    return immutable.some((base) => isWithin(real, base)) ? 'link' : 'copy';
  }

  private allowed(host: string): string {
    const real = realPathIn(this.rules.folder, host);
    const bases = [this.rules.folder, ...this.rules.immutable, ...this.rules.inputs];
    if (real === host || bases.some((base) => base !== undefined && isWithin(real, base))) return real;
    throw cwlErrors.CWL_OUTPUT(posix.basename(host), `it is a link to ${real}, outside the output directory`);
  }
}

const computedFields = ['path', 'dirname', 'listing', 'contents', 'nameroot', 'nameext', 'digest'];

function without(path: CwlPath, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(path as JsonObject).filter(([name]) => !names.includes(name)));
}

function isWithin(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

function relativeLocation(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

function fileObject(name: string, digest: FileDigest): CwlFile {
  return {
    class: 'File',
    location: relativeLocation(name),
    basename: posix.basename(name),
    size: digest.sizeBytes,
    checksum: `sha1$${digest.sha1}`,
    digest: digest.sha256,
  };
}

function directoryObject(name: string, listing: readonly CwlPath[]): CwlDirectory {
  const entries = listing.map((one) => ({ name: one.basename!, kind: one.class, digest: one.digest ?? '' }));
  const object = {
    class: 'Directory' as const,
    location: relativeLocation(name),
    listing,
    digest: digestEntries(entries),
  };
  return name === '' ? object : { ...object, basename: posix.basename(name) };
}
