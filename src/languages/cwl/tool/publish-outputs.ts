// Brings the files of an output object into a dataset directory and describes them relative to it: names, sizes, checksums, digests,
// complete listings. What the command left in its own folder is hard-linked, so the step may be repeated; what it merely passes on
// is linked when it can never change, and copied otherwise.
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Json, JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { pathOfUrl } from '../load/uri.ts';
import { digestBytes, digestEntries, digestFile, digestTree } from '../values/content-digest.ts';
import {
  type CwlDirectory,
  type CwlFile,
  type CwlPath,
  isFile,
  isPath,
  mapPaths,
} from '../values/file-object.ts';
import { OutputNames } from './output-names.ts';

export interface PublishRules {
  /** The dataset's directory; emptied first. */
  readonly target: string;
  /** Real path of the folder whose files belong to the command; undefined when there was no command. */
  readonly folder?: string | undefined;
  /** Real paths of directories whose files never change, such as stored datasets. */
  readonly immutable: readonly string[];
  /** Real paths of other files that links may lead to: the command's inputs. */
  readonly inputs: readonly string[];
  /** Leave files that are neither the command's nor stored where they are, and refer to them. */
  readonly keepForeign: boolean;
}

/** The output object with locations relative to the dataset directory, which then holds every file of it. */
export async function publishOutputs(outputs: JsonObject, rules: PublishRules): Promise<JsonObject> {
  await rm(rules.target, { recursive: true, force: true });
  await mkdir(rules.target, { recursive: true });
  const publisher = new Publisher(rules);
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
  for (const path of found) described.set(path, await publisher.publish(path));
  return mapPaths(outputs, (path) => described.get(path)! as Json) as JsonObject;
}

class Publisher {
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
    if (beside === undefined && this.isForeign(await realpath(host)))
      return await this.describeForeign(path, host);
    const name = this.nameFor(path, host, beside);
    const known = this.done.get(name) ?? this.bring(host, name);
    this.done.set(name, known);
    return this.withExtras(path, await known, name);
  }

  private nameFor(path: CwlPath, host: string, beside: string | undefined): string {
    const { folder } = this.rules;
    if (folder !== undefined && host === folder) return '';
    if (folder !== undefined && host.startsWith(`${folder}/`)) {
      const own = host.slice(folder.length + 1);
      this.names.reserve(own, host);
      return own;
    }
    return this.names.take(path.basename ?? posix.basename(host), host, beside);
  }

  private async publishLiteral(path: CwlPath, beside: string | undefined): Promise<CwlPath> {
    if (path.location !== undefined) throw cwlErrors.CWL_OUTPUT(path.location, 'it is not on this machine');
    const name = this.names.take(path.basename ?? 'literal', undefined, beside);
    const target = posix.join(this.rules.target, name);
    if (isFile(path)) {
      const contents = path.contents ?? '';
      await mkdir(posix.dirname(target), { recursive: true });
      await writeFile(target, contents);
      return this.withExtras(path, fileObject(name, digestBytes(contents)), name);
    }
    await mkdir(target, { recursive: true });
    const listing: CwlPath[] = [];
    for (const entry of path.listing ?? []) if (isPath(entry)) listing.push(await this.publish(entry, name));
    return this.withExtras(path, directoryObject(name, listing), name);
  }

  /** Own fields of the output object (format, basename, …) win over what the file says; secondary files come along. */
  private async withExtras(path: CwlPath, described: CwlPath, name: string): Promise<CwlPath> {
    const kept = without(path, [...computedFields, 'location', 'checksum', 'size']);
    const folder = posix.dirname(name) === '.' ? '' : posix.dirname(name);
    if (!isFile(path) || path.secondaryFiles === undefined)
      return { ...described, ...kept, digest: described.digest } as CwlPath;
    const secondaryFiles: CwlPath[] = [];
    for (const one of path.secondaryFiles) secondaryFiles.push(await this.publish(one, folder));
    return { ...described, ...kept, digest: described.digest, secondaryFiles } as CwlPath;
  }

  private isForeign(real: string): boolean {
    if (!this.rules.keepForeign) return false;
    return ![...this.rules.immutable, this.rules.folder].some(
      (base) => base !== undefined && isWithin(real, base),
    );
  }

  private async describeForeign(path: CwlPath, host: string): Promise<CwlPath> {
    const kept = without(path, computedFields);
    if (!isFile(path)) return { ...kept, digest: await digestTree(host) } as CwlPath;
    const { sizeBytes, sha1, sha256 } = await digestFile(host);
    const secondaryFiles: CwlPath[] = [];
    for (const one of path.secondaryFiles ?? []) secondaryFiles.push(await this.publish(one));
    const described = { ...kept, size: sizeBytes, checksum: `sha1$${sha1}`, digest: sha256 } as CwlFile;
    return path.secondaryFiles === undefined ? described : { ...described, secondaryFiles };
  }

  /** Brings a file or tree into the dataset under a name and describes it. */
  private async bring(host: string, name: string): Promise<CwlPath> {
    const real = await this.allowed(host);
    const target = posix.join(this.rules.target, name);
    const facts = await stat(real);
    if (facts.isDirectory()) {
      await mkdir(target, { recursive: true });
      const listing: CwlPath[] = [];
      for (const entry of (await readdir(real)).sort())
        listing.push(await this.bringOnce(posix.join(host, entry), posix.join(name, entry)));
      return directoryObject(name, listing);
    }
    if (!facts.isFile()) throw cwlErrors.CWL_OUTPUT(name, 'it is neither a file nor a directory');
    await mkdir(posix.dirname(target), { recursive: true });
    await this.linkOrCopy(real, target);
    return fileObject(name, await digestFile(target));
  }

  private bringOnce(host: string, name: string): Promise<CwlPath> {
    const known = this.done.get(name) ?? this.bring(host, name);
    this.done.set(name, known);
    return known;
  }

  private async allowed(host: string): Promise<string> {
    const real = await realpath(host);
    const bases = [this.rules.folder, ...this.rules.immutable, ...this.rules.inputs];
    if (real === host || bases.some((base) => base !== undefined && isWithin(real, base))) return real;
    throw cwlErrors.CWL_OUTPUT(posix.basename(host), `it is a link to ${real}, outside the output directory`);
  }

  private async linkOrCopy(real: string, target: string): Promise<void> {
    const { folder, immutable } = this.rules;
    const safe = [folder, ...immutable].some((base) => base !== undefined && isWithin(real, base));
    try {
      if (safe) return await link(real, target);
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code === 'EEXIST') return;
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(code ?? '')) throw error;
    }
    await copyFile(real, target, constants.COPYFILE_FICLONE);
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

function fileObject(name: string, digest: { sizeBytes: number; sha1: string; sha256: string }): CwlFile {
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
