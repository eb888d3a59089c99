// A job as one call of `run` in launcher.sh.
import type { BackendJob } from '../../core/ports/backend.ts';
import { journalPath } from './job-journal.ts';
import { graceOf, timeoutOf } from './launcher.ts';
import { thisMachine } from './process-identity.ts';

/** The text that makes a shell which has read launcher.sh run the job. */
export function jobScript(
  job: BackendJob,
  demand: { readonly millicores: number; readonly memoryBytes: number },
  enforceMemory: boolean,
  cpuSecondsBefore: number,
): string {
  const { host, boot } = thisMachine();
  const now = Date.now();
  const timeoutMs = timeoutOf(job);
  const deadlineAt = timeoutMs > 0 ? now + timeoutMs : 0;
  const limitKiB = enforceMemory ? Math.ceil((job.resources.memoryBytes ?? 0) / 1024) : 0;
  return ['run', journalPath(job.directory), `${boot} ${host}`]
    .concat(`${now} ${deadlineAt} ${graceOf(job)} ${demand.millicores} ${demand.memoryBytes}`)
    .concat(
      cpuSecondsBefore.toFixed(6),
      `${limitKiB}`,
      job.cwd,
      job.stdin ?? '/dev/null',
      job.stdout,
      job.stderr,
    )
    .concat(Object.entries(job.env).map(([name, value]) => `${name}=${value}`))
    .concat(job.argv)
    .map(quote)
    .join(' ')
    .concat('\n');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
