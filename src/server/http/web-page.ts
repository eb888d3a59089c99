// Serves the web page: one document for every address of a page, and assets that browsers keep for ever because their names change with
// their contents. Files are held in memory, compressed once.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assetPath, isBundled, repositoryPath } from '../../assets.ts';
import { serverErrors } from '../error-codes.ts';

const pages = ['runs', 'submit', 'compare', 'datasets', 'storage', 'workers', 'history', 'settings'];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

interface WebFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

type WebFiles = ReadonlyMap<string, WebFile>;

export function addWebPage(app: FastifyInstance): void {
  let loading: Promise<WebFiles> | undefined;
  const files = async (): Promise<WebFiles> => {
    loading ??= webFolder().then(loadFiles);
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw serverErrors.WEB_PAGE_MISSING.with({ cause: error }, firstLine(error));
    }
  };
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-cache');
    return send((await files()).get('index.html'), request, reply);
  };
  app.get('/', page);
  for (const name of pages) {
    app.get(`/${name}`, page);
    app.get(`/${name}/*`, page);
  }
  app.get('/assets/:name', async (request, reply) => {
    const { name } = request.params as { name: string };
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return send((await files()).get(`assets/${name}`), request, reply);
  });
  app.get('/licenses.txt', async (request, reply) =>
    send((await files()).get('licenses.txt'), request, reply),
  );
}

/** From sources the page is built when it is first asked for. */
async function webFolder(): Promise<string> {
  if (isBundled) return assetPath('web');
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [repositoryPath('scripts/build-web.ts')]);
  return stdout.trim();
}

async function loadFiles(folder: string): Promise<WebFiles> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const loaded = new Map<string, WebFile>();
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const plain = await readFile(path);
    const type = types[extname(path)] ?? 'application/octet-stream';
    loaded.set(path.slice(folder.length + 1), { type, plain, zipped: await promisify(gzip)(plain) });
  }
  return loaded;
}

function send(file: WebFile | undefined, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!file) throw serverErrors.ROUTE_NOT_FOUND(request.method, request.url.slice(0, 200));
  reply.header('content-type', file.type).header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(file.plain);
  return reply.header('content-encoding', 'gzip').send(file.zipped);
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n').find((line) => /error/i.test(line)) ?? text.split('\n')[0] ?? '').slice(0, 200);
}
