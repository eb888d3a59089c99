// Which process is meant by a pid: the pid, its start time as the kernel counts it, and the machine (this boot, this pid
// name space) on which that number has a meaning. Without /proc the pid alone must do (ticks are 0).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  readonly ticks: number;
}

interface ProcessStat {
  readonly state: string;
  readonly session: number;
  readonly ticks: number;
}

let machine: { readonly host: string; readonly boot: string } | undefined;

/** The host's name, and a word that changes with every boot and differs between pid name spaces. */
export function thisMachine(): { readonly host: string; readonly boot: string } {
  machine ??= {
    host: hostname().replace(/\s/g, '_') || 'localhost',
    boot: `${tryRead('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'}:${pidNamespace()}`,
  };
  return machine;
}

/** Whether this very process still exists; a zombie counts only when `zombies` says so. */
export function isAlive({ pid, ticks }: ProcessIdentity, zombies = false): boolean {
  const stat = readStat(pid);
  if (stat === undefined) return ticks === 0 && !hasProc() && signalProcess(pid, 0);
  return (ticks === 0 || stat.ticks === ticks) && (zombies || !'ZX'.includes(stat.state));
}

/** Signals the group that `leader` leads, or led; false when there is none, or the number is another's by now. */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  const stat = readStat(leader.pid);
  if (stat !== undefined && leader.ticks !== 0 && stat.ticks !== leader.ticks) return false;
  // A job that has not reached setsid() yet leads no group.
  return signalProcess(-leader.pid, signal) || (stat !== undefined && signalProcess(leader.pid, signal));
}

/** Processes that belong to a job by session, or by an environment that names its directory. */
export function findRemains(leader: ProcessIdentity, directory: string): number[] {
  const found: number[] = [];
  const namesake = readStat(leader.pid);
  const reused = namesake !== undefined && namesake.ticks !== leader.ticks;
  for (const name of readProcessNumbers()) {
    const pid = Number(name);
    const stat = pid === process.pid ? undefined : readStat(pid);
    if (stat === undefined || 'ZX'.includes(stat.state)) continue;
    const ofSession = stat.session === leader.pid && !reused;
    if (ofSession || namesDirectory(tryRead(`/proc/${pid}/environ`) ?? '', directory)) found.push(pid);
  }
  return found;
}

export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readStat(pid: number): ProcessStat | undefined {
  const text = tryRead(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? 'X', session: Number(fields[3]), ticks: Number(fields[19]) };
}

function namesDirectory(environment: string, directory: string): boolean {
  for (let at = environment.indexOf(directory); at >= 0; at = environment.indexOf(directory, at + 1)) {
    const next = environment[at + directory.length];
    if (next === undefined || '\0/:;, "\''.includes(next)) return true;
  }
  return false;
}

function readProcessNumbers(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function hasProc(): boolean {
  return readStat(process.pid) !== undefined;
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
