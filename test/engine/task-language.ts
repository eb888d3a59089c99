// A tiny language for tests of the engine: tasks whose text is a function of their operation and of their inputs' texts, and nodes that
// grow into a list of tasks or into one under a condition. Everything is deterministic, except what calls itself `dice`.
import { hash } from 'node:crypto';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { ActionType, Growth, InputDataset } from '../../src/core/ports/action-type.ts';
import type { BackendJob } from '../../src/core/ports/backend.ts';
import {
  defaultPolicy,
  type NodeDefinition,
  type NodePolicy,
  type ParentLink,
} from '../../src/core/workflow.ts';
import type { MemoryStorage } from '../../src/storage/memory.ts';

/** `list`: so many elements, or as many as the inputs say; `when`: one, if it holds or if the inputs say so. */
export type Grow = ({ readonly list: number | 'inputs' } | { readonly when: boolean | 'inputs' }) & {
  /** What the elements themselves grow into. */
  readonly inner?: Grow;
};

export interface TaskOptions extends Partial<Omit<NodePolicy, 'retries'>> {
  /** Defaults to the key: tasks with equal operations and parents are equal work. */
  readonly op?: string;
  readonly parents?: readonly (string | ParentLink)[];
  readonly result?: boolean;
  readonly grow?: Grow;
  readonly retries?: Partial<NodePolicy['retries']>;
}

/** A node; a parent given by its key alone is wanted under its key as slot. */
export function task(key: string, options: TaskOptions = {}): NodeDefinition {
  const { op = key, parents = [], result = false, grow, retries, ...policy } = options;
  const spec = { op, ...(grow ? { grow: grow as unknown as JsonObject } : {}) };
  return {
    key,
    name: op,
    type: grow ? 'grow' : 'task',
    expands: grow !== undefined,
    parents: parents.map((one) => (typeof one === 'string' ? { slot: one, key: one } : one)),
    identity: spec,
    spec,
    policy: {
      ...defaultPolicy,
      ...policy,
      retries: { ...defaultPolicy.retries, delayMs: 1, ...retries },
    },
    result,
  };
}

interface TaskInput {
  readonly slot: string;
  readonly position: string;
  readonly path: string;
}

/** What a job of this language says about itself. */
export interface TaskJob {
  readonly key: string;
  readonly op: string;
  readonly inputs: readonly TaskInput[];
}

export function taskOf(job: BackendJob): TaskJob {
  return JSON.parse(job.argv[1] as string) as TaskJob;
}

/** The text that a task writes; undefined when the files of an input are not there. */
export function taskText(storage: MemoryStorage, { op, inputs }: TaskJob): string | undefined {
  const texts: string[] = [];
  for (const { slot, position, path } of inputs) {
    const text = storage.read(`${path}/data`);
    if (text === undefined) return undefined;
    texts.push(`${slot}${position === '' ? '' : `[${position.replaceAll(/0{7}/g, '')}]`}=${text}`);
  }
  if (op.startsWith('const:')) return op.slice('const:'.length).replace(/@.*/, '');
  const text = `${op}(${texts.join(',')})`;
  return text.length < 60 ? text : `${op}<${hash('sha256', text, 'hex').slice(0, 12)}>`;
}

/** Does the work of a job: writes its text into the attempt's output. */
export function performTask(storage: MemoryStorage, job: BackendJob, text?: string): void {
  const written = text ?? taskText(storage, taskOf(job));
  if (written === undefined) throw new Error(`an input of ${job.key} is missing`);
  storage.write(`${job.directory}/out/data`, written);
}

export function taskLanguage(storage: MemoryStorage): ActionType[] {
  const types: ActionType = {
    name: 'task',
    async prepare({ node, inputs, space, key }) {
      const { op } = node.spec as { op: string };
      const self: TaskJob = {
        key: node.key,
        op,
        inputs: inputs.map(({ slot, position, path }) => ({ slot, position, path })),
      };
      return {
        key,
        directory: space.directory,
        argv: ['task', JSON.stringify(self)],
        env: {},
        cwd: space.work,
        stdout: `${space.logs}/stdout`,
        stderr: `${space.logs}/stderr`,
        resources: node.policy.resources,
        timeoutMs: node.policy.timeoutMs,
        priority: node.policy.priority,
      };
    },
    async collect({ space, outcome }) {
      if (outcome.exitCode !== 0) {
        const message = `exit code ${outcome.exitCode}`;
        return { failure: { code: 'TASK_FAILED', message, retryable: true } };
      }
      const text = storage.read(`${space.out}/data`);
      if (text === undefined)
        return { failure: { code: 'TASK_SILENT', message: 'no output', retryable: false } };
      return { value: text };
    },
  };
  return [types, { ...types, name: 'grow', expand: growTask }];
}

async function growTask(node: NodeDefinition, inputs: readonly InputDataset[]): Promise<Growth> {
  const { op, grow } = node.spec as unknown as { op: string; grow: Grow };
  const said = Number.parseInt(hash('sha256', inputs.map((one) => one.digest).join(), 'hex').slice(0, 4), 16);
  const element = (key: string, elementOp: string): NodeDefinition => ({
    ...task(key, { op: elementOp, ...(grow.inner ? { grow: grow.inner } : {}) }),
    parents: node.parents,
    policy: node.policy,
  });
  if ('when' in grow) {
    const holds = grow.when === 'inputs' ? said % 2 === 0 : grow.when;
    if (!holds) return { nodes: [], results: [], list: false, skipped: 'the inputs say so' };
    const only = element(`${node.key}[when]`, op);
    return { nodes: [only], results: [only.key], list: false };
  }
  const count = grow.list === 'inputs' ? said % 4 : grow.list;
  const nodes = Array.from({ length: count }, (_, i) => element(`${node.key}[${i}]`, `${op}#${i}`));
  return { nodes, results: nodes.map(({ key }) => key), list: true };
}

/** The text that a dataset's action attached to it. */
export function valueText(value: string | null): string {
  const parsed = value === null ? null : (JSON.parse(value) as Json);
  return typeof parsed === 'string' ? parsed : '';
}
