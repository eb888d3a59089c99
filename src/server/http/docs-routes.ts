// The documentation under /docs: the static pages that the build puts into the package.
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { serverErrors } from '../error-codes.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const plainText = 'text/plain; charset=utf-8';

/** Answers from the folder; without one it says how the pages are made. */
export function addDocsRoutes(app: FastifyInstance, folder: string): void {
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const name = request.params['*'] || 'index.html';
    const path = join(folder, name.endsWith('/') ? `${name}index.html` : name);
    const content = path.startsWith(folder + sep) && !path.includes('\0') ? await read(path) : undefined;
    if (content) return reply.type(types[extname(path)] ?? plainText).send(content);
    if (!(await read(join(folder, 'index.html')))) throw serverErrors.DOCS_NOT_BUILT();
    throw serverErrors.ROUTE_NOT_FOUND(request.method, request.url.slice(0, 200));
  });
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENAMETOOLONG')
      return undefined;
    throw error;
  }
}
