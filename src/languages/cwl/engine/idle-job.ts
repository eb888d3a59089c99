// The job of actions that only evaluate: nothing to run, everything happens when it is collected.
import { join } from 'node:path';
import type { PrepareContext } from '../../../core/ports/action-type.ts';
import type { BackendJob } from '../../../core/ports/backend.ts';

export function idleJob({ node, space, key }: PrepareContext): BackendJob {
  return {
    key,
    directory: space.directory,
    argv: ['/bin/sh', '-c', ':'],
    env: {},
    cwd: space.work,
    stdout: join(space.logs, 'stdout'),
    stderr: join(space.logs, 'stderr'),
    resources: { cores: 1 },
    priority: node.policy.priority,
  };
}
