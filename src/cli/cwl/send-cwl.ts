// A CWL document for a server: the document with everything that it and its input object name on this machine, uploaded under the paths that
// it has here. What is named by an address is left to the server, which may not be allowed to ask there.
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Api, Input } from '../../api/api.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { completeInputs, filesIn, mapFiles } from '../../languages/cwl/index.ts';
import { localFiles } from '../submit-workflow.ts';
import type { CwlRequest } from './read-request.ts';

type Submission = Pick<
  Input<'submitRun'>,
  'workflow' | 'fileName' | 'folder' | 'fragment' | 'files' | 'parameters' | 'parametersFolder'
>;
type Files = NonNullable<Submission['files']>;

/** Uploads what is needed and returns the fields of the submission. */
export async function sendCwl(api: Api, { document, job, url }: CwlRequest): Promise<Submission> {
  const files: Files = {};
  const [own, ...fragment] = url.split('#') as [string, ...string[]];
  for (const [address, text] of document.texts) {
    if (address === own) continue;
    const { upload } = await api.uploadFile({ bytes: oneChunk(text) });
    files[pathOf(address)] = { upload };
  }
  const inputs = await completeInputs(document.process, job.job).catch(() => job.job);
  const named = [...filesIn(document.process as unknown as Json), ...filesIn(job.job), ...filesIn(inputs)];
  const paths = new Set(named.filter((location) => location.startsWith('file:')).map(pathOf));
  const found = (await Promise.all([...paths].map(localFiles))).flat();
  for (const { path, executable } of found) {
    if (Object.hasOwn(files, path)) continue;
    const { upload } = await api.uploadFile({ bytes: createReadStream(path) });
    files[path] = { upload, ...(executable ? { executable } : {}) };
  }
  const path = pathOf(own);
  const requirements = job.requirements.length === 0 ? {} : { 'cwl:requirements': job.requirements as never };
  return {
    workflow: document.text,
    fileName: path.slice(path.lastIndexOf('/') + 1),
    folder: path.slice(0, path.lastIndexOf('/')) || '/',
    ...(fragment.length === 0 ? {} : { fragment: fragment.join('#') }),
    files,
    parameters: { ...(mapFiles(job.job, fromRoot) as JsonObject), ...requirements },
    parametersFolder: '/',
  };
}

/** Where a file lies in the world that the server lays out. */
function pathOf(location: string): string {
  if (location.startsWith('file:')) return fileURLToPath(location.replace(/#.*$/, ''));
  const { host, pathname } = new URL(location);
  return `/${host}${decodeURIComponent(pathname)}`;
}

/** Relative to the root, so that it leads into that world. */
function fromRoot(location: string): string {
  return location.startsWith('file:///') ? location.slice('file:///'.length) : location;
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
