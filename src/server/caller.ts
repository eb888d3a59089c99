// Who calls and what they may see. A realm that a caller may not see is treated as if nothing were in it, so that answers and errors
// reveal nothing of it (I9).
import type { Role } from '../api/route.ts';
import type { SiteWhatIf } from '../composition/site-what-if.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { DatasetRow, RunRow } from '../core/rows.ts';
import { engineErrors } from '../engine/error-codes.ts';
import { findDataset } from '../engine/find-dataset.ts';
import { sharedRealm, type Varve } from '../varve.ts';
import { serverErrors } from './error-codes.ts';
import type { EventHub } from './events/event-hub.ts';
import type { SubmittedFiles } from './inputs/submitted-files.ts';
import type { ClaimHub } from './workers/claim-hub.ts';

export interface Access {
  readonly userName: string;
  readonly role: Role;
  readonly via: 'local' | 'token' | 'login';
  /** What limits the token, if one was shown: tokens that are made with it have the same limits. */
  readonly token?: { readonly project: string | null; readonly expiresAt: number | null };
  /** Realms that the caller may see; undefined for all. */
  readonly realms: readonly string[] | undefined;
  /** Realms that the caller may submit to and reuse from; the first unless told otherwise. */
  readonly own: readonly string[];
}

/** What handlers work with besides the caller: one per process. */
export interface Site {
  readonly varve: Varve;
  readonly files: SubmittedFiles;
  readonly events: EventHub;
  /** Workers that wait for jobs in open requests. */
  readonly workers: ClaimHub;
  /** Replays the history of this site with other budgets. */
  readonly whatIf: SiteWhatIf;
}

export interface Caller {
  readonly site: Site;
  readonly access: Access;
  /** Aborts when the caller has gone. */
  readonly signal?: AbortSignal | undefined;
}

/** The user of this machine, who may do everything. */
export function localAccess(userName: string): Access {
  return { userName, role: 'admin', via: 'local', realms: undefined, own: [sharedRealm] };
}

export function maySee({ realms }: Pick<Access, 'realms'>, realm: string): boolean {
  return realms === undefined || realms.includes(realm);
}

/** The realms of a list: all that the caller may see, or one of them. */
export function realmsFor({ realms }: Access, project: string | undefined): readonly string[] | undefined {
  if (project === undefined) return realms;
  return maySee({ realms }, project) ? [project] : [];
}

/** For what speaks of the whole site: from sums and loads one could tell what others have (I9). */
export function requireSeesAll({ access }: Pick<Caller, 'access'>): void {
  if (access.realms !== undefined) throw serverErrors.ROLE_DENIED('admin', access.role);
}

/** The run, if the caller may see it. */
export async function visibleRun({ site, access }: Caller, id: number): Promise<RunRow> {
  const [run] = await site.varve.store.view.runs([id]);
  if (!run || !maySee(access, run.realm)) throw engineErrors.RUN_NOT_FOUND(id);
  return run;
}

/** The dataset with this signature or unique beginning of it among those that the caller may see. */
export function visibleDataset({ site, access }: Caller, prefix: string): Promise<DatasetRow> {
  return findDataset(site.varve.store.view, prefix, access.realms);
}

export function view({ site }: Caller): StoreView {
  return site.varve.store.view;
}

/** Where a submission belongs and what it may reuse. */
export function submitter(
  { userName, own, realms }: Access,
  project: string | undefined,
): { userName: string; realm: string; readable: readonly string[] } {
  const realm = project ?? (own[0] as string);
  if (!own.includes(realm) && realms !== undefined) throw serverErrors.PROJECT_DENIED(realm);
  return { userName, realm, readable: own.includes(realm) ? own : [realm, ...own] };
}

/** Keys of two users never meet. */
export function submissionKey({ userName, via }: Access, key: string | undefined): string | undefined {
  return key === undefined ? undefined : via === 'local' ? key : `${userName}:${key}`;
}
