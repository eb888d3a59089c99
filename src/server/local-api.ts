// The API on the engine of this process, for the user of this machine: what the command line uses without a server.
import { join } from 'node:path';
import type { Api } from '../api/api.ts';
import { createSiteWhatIf } from '../composition/site-what-if.ts';
import type { Varve } from '../varve.ts';
import { type Access, type Caller, localAccess, type Site } from './caller.ts';
import { createEventHub } from './events/event-hub.ts';
import { submittedFiles } from './inputs/submitted-files.ts';
import { handlers } from './routes/all.ts';
import { createClaimHub } from './workers/claim-hub.ts';

/** What handlers need of a process. */
export function openSite(varve: Varve, onProblem: (error: unknown, doing: string) => void = () => {}): Site {
  const { home, storage, decisions, server } = varve.config;
  return {
    varve,
    files: submittedFiles(join(storage.root, 'uploads'), server.uploadLimit),
    events: createEventHub(varve.store, onProblem),
    workers: createClaimHub(varve.store, onProblem),
    whatIf: createSiteWhatIf(varve.engine.decisionManager, {
      algorithm: decisions.algorithm,
      folder: home,
      highWatermark: storage.highWatermark,
      lowWatermark: storage.lowWatermark,
    }),
  };
}

/** Every operation as a function, on behalf of one caller. */
export function apiOf(site: Site, access: Access): Api {
  const caller: Caller = { site, access };
  const bound = Object.entries(handlers).map(([name, handler]) => [
    name,
    (input: never) => (handler as (input: never, caller: Caller) => Promise<unknown>)(input, caller),
  ]);
  return Object.fromEntries(bound) as Api;
}

export function localApi(varve: Varve): Api {
  return apiOf(openSite(varve), localAccess(varve.userName));
}
