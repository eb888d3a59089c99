// Why an action ran or did not: one table of codes, each with the sentence that a user reads. Reasons are values, stored with the
// action when it is planned and when it ends, so that `why` needs no guessing.
import type { JsonObject } from './json.ts';

const sentences = {
  NEVER_COMPUTED: (_: ReasonFacts) => 'no equal dataset was ever computed here',
  DELETED: (f: ReasonFacts) =>
    `its dataset was deleted${f.detail ? ` (${f.detail})` : ''} and is needed again`,
  VANISHED: (_: ReasonFacts) => 'the files of its dataset were missing or damaged',
  FORCED: (_: ReasonFacts) => 'computation was forced',
  UNMANAGED: (_: ReasonFacts) => 'its output is unmanaged, so it always runs',
  PARENT_FORCED: (_: ReasonFacts) =>
    'an ancestor was forced; it runs unless its inputs turn out to have the same bytes',
  TAKEN_OVER: (f: ReasonFacts) => `it had joined ${who(f)}, which ended without a dataset`,
  GROWS: (_: ReasonFacts) => 'it decides its actions once its inputs are known',
  GROWTH_KNOWN: (_: ReasonFacts) => 'all datasets that stood for it last time are stored',
  STORED: (f: ReasonFacts) => `an equal dataset is stored${f.detail ? ` (${f.detail})` : ''}`,
  RESCUED: (_: ReasonFacts) => 'an equal dataset was about to be deleted and was kept',
  SAME_BYTES: (_: ReasonFacts) =>
    'its definition or upstream changed, but its inputs have the same bytes as before',
  JOINED: (f: ReasonFacts) => `${who(f)} was already computing an equal dataset`,
  NOT_NEEDED: (_: ReasonFacts) => 'everything that would read its dataset was reused',
  CONDITION_FALSE: (f: ReasonFacts) => `its condition is false${f.detail ? `: ${f.detail}` : ''}`,
  PARENT_FAILED: (f: ReasonFacts) => `its parent ${f.key ?? '?'} failed`,
  PARENT_KILLED: (f: ReasonFacts) => `its parent ${f.key ?? '?'} was cancelled`,
  PARENT_SKIPPED: (f: ReasonFacts) => `its parent ${f.key ?? '?'} was skipped`,
  RUN_STOPPED: (f: ReasonFacts) => `the run stops at the first failure, and ${f.key ?? 'an action'} failed`,
  CANCELLED: (_: ReasonFacts) => 'the run was cancelled',
} as const;

interface ReasonFacts {
  readonly key?: string | undefined;
  readonly run?: number | undefined;
  readonly detail?: string | undefined;
}

export type ReasonCode = keyof typeof sentences;

export interface Reason extends ReasonFacts {
  readonly code: ReasonCode;
}

function who(facts: ReasonFacts): string {
  if (facts.key !== undefined) return `action ${facts.key}`;
  return facts.run === undefined ? 'another run' : `run ${facts.run}`;
}

/** The reason as a sentence without its first capital. */
export function reasonText(reason: Reason): string {
  return sentences[reason.code](reason);
}

export function reasonJson(reason: Reason): string {
  return JSON.stringify(reason satisfies JsonObject | Reason);
}

export function parseReason(text: string): Reason {
  return JSON.parse(text) as Reason;
}

/** All codes with their sentence, for the reference. */
export function reasonTable(): { code: ReasonCode; text: string }[] {
  return Object.keys(sentences).map((code) => ({
    code: code as ReasonCode,
    text: reasonText({ code: code as ReasonCode, key: 'X', run: 7 }),
  }));
}
