// The journal of one job, the file `control` in the attempt's directory: the only thing about a local job that outlives
// processes. Its grammar is in launcher.c. Whoever creates the file, exclusively, decides whether the job may start (I4); of
// an empty file, left by somebody who is about to write or died before, the first appended line decides. It is not
// flushed to disk: after a power failure no process is left whose end it could tell.
import { appendFileSync, closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { JobOutcome } from '../../core/ports/backend.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** The first line of a job that was started: who runs it, who sees to it, and until when. */
export interface JobStart {
  readonly job: ProcessIdentity;
  readonly launcher: ProcessIdentity;
  readonly boot: string;
  readonly host: string;
  readonly startedAt: number;
  /** When somebody outside the launcher must end it; 0 when the launcher keeps the time. */
  readonly deadlineAt: number;
  readonly graceMs: number;
  readonly millicores: number;
  readonly memoryBytes: number;
  /** Seconds that earlier jobs of the same shell used; only the launcher `sh` writes it. */
  readonly cpuBefore: number | undefined;
}

export type StopMark = 'cancelled' | 'timeout';

export type JournalState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'fenced'; readonly reason: string }
  | { readonly kind: 'started'; readonly start: JobStart }
  | { readonly kind: 'ended'; readonly start: JobStart; readonly outcome: JobOutcome };

export function journalPath(directory: string): string {
  return join(directory, 'control');
}

/** What the journal says now. */
export function readJournal(directory: string): JournalState {
  const path = journalPath(directory);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return { kind: 'absent' };
    throw error;
  }
  const lines = text.split('\n').slice(0, -1);
  const first = lines[0];
  if (first === undefined) return { kind: 'undecided' };
  const [word, ...fields] = first.split(' ');
  if (word !== 'started') return { kind: 'fenced', reason: fields.join(' ') };
  const start = parseStart(fields);
  const endAt = lines.findIndex((line) => line.startsWith('ended ') || line.startsWith('lost '));
  if (endAt < 0) return { kind: 'started', start };
  if (lines[endAt]!.startsWith('lost ')) {
    return { kind: 'ended', start, outcome: { kind: 'lost', reason: lines[endAt]!.slice('lost '.length) } };
  }
  const mark = lines.slice(0, endAt).find((line) => line === 'cancelled' || line === 'timeout');
  const end = lines[endAt]!.slice('ended '.length).split(' ');
  if (end[3] === '-') end[3] = String(Math.round(statSync(path).mtimeMs));
  const cpuAfter = cpuOfChildren(lines.slice(endAt + 1));
  if (cpuAfter !== undefined) end[4] = String(Math.round((cpuAfter - (start.cpuBefore ?? 0)) * 1e6));
  return { kind: 'ended', start, outcome: parseEnd(start.startedAt, end, mark) };
}

/** Reads the journal and, where nothing is decided yet, decides that the job never starts. */
export function readOrFence(
  directory: string,
  reason: string,
): Exclude<JournalState, { kind: 'absent' | 'undecided' }> {
  for (;;) {
    const state = readJournal(directory);
    if (state.kind === 'absent') {
      if (!createJournal(directory)) return { kind: 'fenced', reason: 'its directory is gone' };
    } else if (state.kind === 'undecided') {
      appendFileSync(journalPath(directory), `fenced ${reason}\n`);
    } else {
      return state;
    }
  }
}

/** Notes why the job is about to be stopped, for whoever reads its end. */
export function markJournal(directory: string, mark: StopMark): void {
  appendFileSync(journalPath(directory), `${mark}\n`);
}

/** Records that the end of a started job will never be known; an end that was recorded before it stands. */
export function declareLost(directory: string, reason: string): JobOutcome {
  appendFileSync(journalPath(directory), `lost ${reason}\n`);
  const state = readJournal(directory);
  return state.kind === 'ended' ? state.outcome : { kind: 'lost', reason };
}

/** The outcome in the end fields of a journal or of a launcher's report: kind, code, signal, at, cpu µs, peak bytes. */
export function parseEnd(
  startedAt: number,
  fields: readonly string[],
  mark?: StopMark | undefined,
): JobOutcome {
  const [word, code, signalNumber, at, cpuMicroseconds, peak] = fields;
  const kind = word === 'exited' ? (mark ?? word) : word;
  if (kind === 'cancelled' && startedAt === 0) return { kind };
  const usage = {
    startedAt,
    endedAt: Math.max(startedAt, Number(at)),
    ...(cpuMicroseconds === '-' ? {} : { cpuSeconds: Number(cpuMicroseconds) / 1e6 }),
    ...(peak === '-' ? {} : { peakMemoryBytes: Number(peak) }),
  };
  if (kind === 'timeout' || kind === 'cancelled') return { kind, ...usage };
  const exitCode = Number(code);
  // A shell reports death by signal n as 128 + n and nothing else ('-').
  const signal = signalName(signalNumber === '-' ? exitCode - 128 : Number(signalNumber));
  return { kind: 'exited', exitCode, ...(signal === undefined ? {} : { signal }), ...usage };
}

/** Sees to it that the file exists, created by us or by a rival; false when its directory is gone. */
function createJournal(directory: string): boolean {
  try {
    closeSync(openSync(journalPath(directory), 'ax'));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return true;
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

function parseStart(fields: readonly string[]): JobStart {
  const [pid, ticks, launcherPid, launcherTicks, boot, host, at, deadline, grace, cores, memory, cpu] =
    fields;
  return {
    job: { pid: Number(pid), ticks: Number(ticks) },
    launcher: { pid: Number(launcherPid), ticks: Number(launcherTicks) },
    boot: boot ?? '',
    host: host ?? '',
    startedAt: Number(at),
    deadlineAt: Number(deadline),
    graceMs: Number(grace),
    millicores: Number(cores),
    memoryBytes: Number(memory),
    cpuBefore: cpu === undefined ? undefined : Number(cpu),
  };
}

/** Seconds of all children so far, from what the shell's `times` prints: own line first, then the children's. */
export function cpuOfChildren(lines: readonly string[]): number | undefined {
  const parts = lines[1]?.split(' ').map((part) => /^(\d+)m([\d.]+)s$/.exec(part));
  const [user, system] = parts ?? [];
  if (!user || !system) return undefined;
  return Number(user[1]) * 60 + Number(user[2]) + Number(system[1]) * 60 + Number(system[2]);
}

// Some numbers have several names: the first one counts.
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number as number, name]),
);

function signalName(number: number): string | undefined {
  return signalNames.get(number);
}
