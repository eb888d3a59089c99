// Inputs given as http or https URLs, downloaded into a folder of the storage. Files are named by their content, so one that
// is in use never changes; beside them, one note per URL says which content the server had last, and with which ETag or
// date it can be asked whether that still holds.
import { createHash, hash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { isObject, type Json } from '../../core/json.ts';
import { storageErrors } from '../error-codes.ts';
import { openUrl, shownUrl, type UrlLimits, type UrlPolicy, type UrlResponse } from './open-url.ts';
import { isErrno, storageError } from './storage-error.ts';
import { parentFolder } from './storage-folders.ts';

export interface UrlInputsOptions extends Partial<UrlLimits>, UrlPolicy {
  /** Where downloads are kept; made on first use. */
  readonly folder: string;
}

export interface UrlInput {
  /** The downloaded file, read-only; it stays as it is when the server's content changes. */
  readonly path: string;
  readonly digest: string;
  readonly sizeBytes: number;
}

/** What is remembered about one URL. */
interface UrlNote {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

const defaults: UrlLimits = { maxBytes: 2 ** 40, timeoutMs: 6 * 3600_000, idleTimeoutMs: 60_000 };

export class UrlInputs {
  readonly #folder: string;
  readonly #policy: UrlPolicy;
  readonly #limits: UrlLimits;
  readonly #running = new Map<string, Promise<UrlInput>>();

  constructor({ folder, allow, ...limits }: UrlInputsOptions) {
    this.#folder = folder;
    this.#policy = { allow };
    this.#limits = { ...defaults, ...limits };
  }

  /**
   * The content of the URL as the server has it now. Callers at the same time share one download, unless they bring a
   * signal, which would stop the download of the others.
   */
  get(address: string, signal?: AbortSignal): Promise<UrlInput> {
    if (signal) return this.#get(address, signal);
    const running = this.#running.get(address);
    if (running) return running;
    const started = this.#get(address, undefined).finally(() => this.#running.delete(address));
    this.#running.set(address, started);
    return started;
  }

  /** The content that the URL had last, without asking; undefined when it was never fetched. */
  kept(address: string): UrlInput | undefined {
    const note = this.#usableNote(this.#pathOf('notes', hash('sha256', parseUrl(address).href, 'hex')));
    return note && this.#inputOf(note);
  }

  /** Deletes downloads that nobody asked for since `unusedSince`; returns how many files went. */
  async prune(unusedSince: number): Promise<number> {
    const used = new Set<string>();
    for (const path of this.#files('notes'))
      if (fs.statSync(path).mtimeMs < unusedSince) fs.unlinkSync(path);
      else used.add(this.#readNote(path)?.digest ?? '');
    let deleted = 0;
    for (const path of this.#files('data')) {
      if (used.has(path.slice(path.lastIndexOf('/') + 1))) continue;
      // A download without a note may just be about to get one.
      if (fs.statSync(path).ctimeMs >= unusedSince) continue;
      fs.unlinkSync(path);
      deleted += 1;
    }
    return deleted;
  }

  async #get(address: string, signal: AbortSignal | undefined): Promise<UrlInput> {
    const url = parseUrl(address);
    const notePath = this.#pathOf('notes', hash('sha256', url.href, 'hex'));
    const note = this.#usableNote(notePath);
    try {
      await using response = await openUrl(url, this.#policy, this.#limits, conditions(note), signal);
      if (response.status === 304) {
        if (!note) throw storageErrors.INPUT_URL_UNAVAILABLE(shownUrl(url), 'status 304');
        const now = new Date();
        fs.utimesSync(notePath, now, now);
        return this.#inputOf(note);
      }
      const received = await this.#receive(response);
      const { etag, lastModified } = response;
      this.#writeNote(notePath, { ...received, etag, lastModified });
      return this.#inputOf(received);
    } catch (error) {
      throw storageError(error, 'keep the download of', shownUrl(url));
    }
  }

  async #receive(response: UrlResponse): Promise<Pick<UrlNote, 'digest' | 'sizeBytes'>> {
    const part = `${this.#folder}/part-${randomUUID()}`;
    fs.mkdirSync(this.#folder, { recursive: true });
    const file = await open(part, 'wx', 0o444);
    try {
      const hasher = createHash('sha256');
      let sizeBytes = 0;
      try {
        for await (const chunk of response.chunks()) {
          hasher.update(chunk);
          await file.writeFile(chunk);
          sizeBytes += chunk.length;
        }
      } finally {
        await file.close();
      }
      const digest = hasher.digest('hex');
      const path = this.#pathOf('data', digest);
      fs.mkdirSync(parentFolder(path), { recursive: true });
      fs.renameSync(part, path);
      return { digest, sizeBytes };
    } catch (error) {
      fs.rmSync(part, { force: true });
      throw error;
    }
  }

  /** The note, if the file that it speaks of is still there. */
  #usableNote(path: string): UrlNote | undefined {
    const note = this.#readNote(path);
    if (!note) return undefined;
    const stats = fs.statSync(this.#pathOf('data', note.digest), { throwIfNoEntry: false });
    return stats?.size === note.sizeBytes ? note : undefined;
  }

  #readNote(path: string): UrlNote | undefined {
    try {
      const note = JSON.parse(fs.readFileSync(path, 'utf8')) as Json;
      const sound =
        isObject(note) && /^[0-9a-f]{64}$/.test(String(note.digest)) && typeof note.sizeBytes === 'number';
      return sound ? (note as unknown as UrlNote) : undefined;
    } catch (error) {
      if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #writeNote(path: string, note: UrlNote): void {
    const part = `${path}.${randomUUID()}`;
    fs.mkdirSync(parentFolder(path), { recursive: true });
    fs.writeFileSync(part, JSON.stringify(note));
    fs.renameSync(part, path);
  }

  #inputOf({ digest, sizeBytes }: Pick<UrlNote, 'digest' | 'sizeBytes'>): UrlInput {
    return { path: this.#pathOf('data', digest), digest, sizeBytes };
  }

  #pathOf(part: 'notes' | 'data', name: string): string {
    return `${this.#folder}/${part}/${name.slice(0, 2)}/${name}`;
  }

  #files(part: 'notes' | 'data'): readonly string[] {
    const top = `${this.#folder}/${part}`;
    if (!fs.existsSync(top)) return [];
    return fs
      .readdirSync(top)
      .flatMap((each) => fs.readdirSync(`${top}/${each}`).map((name) => `${top}/${each}/${name}`));
  }
}

function conditions(note: UrlNote | undefined): Record<string, string> {
  return {
    ...(note?.etag && { 'if-none-match': note.etag }),
    ...(note?.lastModified && { 'if-modified-since': note.lastModified }),
  };
}

function parseUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw storageErrors.INPUT_URL_INVALID(url ? shownUrl(url) : address);
  url.hash = '';
  return url;
}
