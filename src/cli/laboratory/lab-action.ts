// The bundled action of the laboratory: it reads its inputs, really writes so many bytes, and takes so long. Its label makes its dataset
// another one than that of any other label, in signature and in bytes.
import { join } from 'node:path';
import type { ActionType } from '../../core/ports/action-type.ts';
import type { Backend, BackendEvents, BackendJob } from '../../core/ports/backend.ts';
import { defaultPolicy, type NodeDefinition, type WorkflowDefinition } from '../../core/workflow.ts';
import { type History, parentsOf } from '../../lab/history.ts';

const typeName = 'lab';

// Bytes, seconds, label and the input files come as arguments; the dataset begins with its label and a checksum of its inputs.
const script = `
bytes=$1; seconds=$2; label=$3; out=$4; shift 4
{ printf '%s\\n' "$label"; cat -- /dev/null "$@" | cksum; yes "$label"; } | head -c "$bytes" > "$out" || exit 1
[ "$seconds" = 0 ] || sleep "$seconds"
`;

/** The workflow of one run of a history; datasets come in the history's own order. */
export function labWorkflow(history: History, run: number): WorkflowDefinition {
  const { members, results, workflow } = history.runs[run]!;
  const wanted = new Set(results);
  const nodes = Array.from(members, (d): NodeDefinition => {
    const label = history.labels[d]!;
    const size = { label, bytes: history.sizeBytes[d]!, seconds: history.computeSeconds[d]! };
    return {
      key: label,
      name: label,
      type: typeName,
      expands: false,
      parents: Array.from(parentsOf(history, d), (parent, i) => ({
        slot: `input${String(i).padStart(4, '0')}`,
        key: history.labels[parent]!,
      })),
      identity: size,
      spec: size,
      policy: defaultPolicy,
      result: wanted.has(d),
    };
  });
  return { name: workflow ?? `run ${run + 1}`, language: typeName, failurePolicy: 'stop', nodes };
}

/** The action type; each action really takes its declared time multiplied by `timeScale`. */
export function labActionType(timeScale: number): ActionType {
  return {
    name: typeName,
    async prepare({ node, inputs, space, key }): Promise<BackendJob> {
      const { label, bytes, seconds } = node.spec;
      const real = Number((Number(seconds) * timeScale).toFixed(3));
      const files = inputs.map((input) => join(input.path, 'data'));
      return {
        key,
        directory: space.directory,
        argv: [
          '/bin/sh',
          '-c',
          script,
          'lab',
          String(bytes),
          String(real),
          String(label),
          join(space.out, 'data'),
          ...files,
        ],
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
        cwd: space.work,
        stdout: join(space.logs, 'stdout'),
        stderr: join(space.logs, 'stderr'),
        resources: node.policy.resources,
        priority: node.policy.priority,
      };
    },
    async collect({ node, outcome }) {
      if (outcome.exitCode === 0) return { value: null };
      const message = `${node.key} ended with ${outcome.signal ?? outcome.exitCode}`;
      return { failure: { code: 'ACTION_FAILED', message, retryable: false } };
    },
  };
}

/**
 * A back-end whose jobs are reported to have taken their declared time. Decisions are then made from the history's own figures,
 * however much faster than declared it is replayed.
 */
export function declaringTimes(
  make: (events: BackendEvents) => Backend,
  declaredMs: (job: BackendJob) => number,
): (events: BackendEvents) => Backend {
  return (events) => {
    const declared = new Map<string, number>();
    const backend = make({
      started: (key, at) => events.started(key, at),
      ended(key, outcome) {
        const ms = declared.get(key);
        declared.delete(key);
        const told =
          outcome.kind === 'exited' && ms !== undefined
            ? { ...outcome, endedAt: outcome.startedAt + ms }
            : outcome;
        events.ended(key, told);
      },
    });
    return {
      name: backend.name,
      capacity: () => backend.capacity(),
      recover: (job, handle) => backend.recover(job, handle),
      cancel: (key) => backend.cancel(key),
      close: () => backend.close(),
      submit(job) {
        declared.set(job.key, declaredMs(job));
        return backend.submit(job);
      },
    };
  };
}
