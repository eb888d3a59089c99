// Refuses jobs that no operating system could start as they are meant.
import type { BackendJob } from '../../core/ports/backend.ts';
import { localErrors } from './error-codes.ts';

/** Throws LOCAL_JOB_INVALID with the first thing that is wrong. */
export function checkJob(job: BackendJob): void {
  const problem = findProblem(job);
  if (problem !== undefined) throw localErrors.LOCAL_JOB_INVALID(job.key, problem);
}

function findProblem(job: BackendJob): string | undefined {
  if (!/^[\w.@:+-]+$/.test(job.key)) return 'its key is not safe in a file name';
  if (job.argv.length === 0 || job.argv[0] === '') return 'it has no command';
  for (const path of [job.directory, job.cwd, job.stdout, job.stderr, job.stdin ?? '/'])
    if (!path.startsWith('/')) return `${JSON.stringify(path)} is not an absolute path`;
  for (const name of Object.keys(job.env))
    if (name === '' || name.includes('='))
      return `${JSON.stringify(name)} is no name of an environment variable`;
  const words = [job.directory, job.cwd, job.stdout, job.stderr, job.stdin ?? '', ...job.argv];
  for (const word of words.concat(...Object.entries(job.env)))
    if (word.includes('\0')) return `${JSON.stringify(word)} contains a NUL character`;
  if (!(job.resources.cores >= 0)) return 'its number of cores is not a number from 0 on';
  if (!((job.resources.memoryBytes ?? 0) >= 0)) return 'its memory is not a number from 0 on';
  return undefined;
}
