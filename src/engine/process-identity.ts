// Who this process is: host, boot and start time make it unique, and let a process on the same host know for certain that another one
// is dead, so that its work is taken over at once instead of after the lease.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  /** Start time as the operating system counts it; '' where it cannot be read. */
  readonly started: string;
}

export function thisProcess(): ProcessIdentity {
  return { host: hostname(), boot: bootId(), pid: process.pid, started: startTime(process.pid) ?? '' };
}

/** True only when the process is certainly gone: same host, and the pid is free, reused, or of an earlier boot. */
export function isDead(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.host !== self.host) return false;
  if (other.boot !== self.boot) return true;
  const started = startTime(other.pid);
  if (started !== undefined) return other.started !== '' && started !== other.started;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Field 22 of /proc/<pid>/stat; the command name before it may contain spaces and parentheses. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that has ended but was not yet waited for still has its number; it matches no start time.
    return fields[0] === 'Z' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
