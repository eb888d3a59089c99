// Runs a lowered workflow in order with real processes and real files and no store: what a test of the language needs to see
// commands and expansions at work.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../src/core/json.ts';
import type { ActionType, AttemptFailure, InputDataset } from '../../../src/core/ports/action-type.ts';
import type { BackendJob, JobOutcome } from '../../../src/core/ports/backend.ts';
import type { AttemptSpace } from '../../../src/core/ports/storage.ts';
import type { NodeDefinition, ParentLink, WorkflowDefinition } from '../../../src/core/workflow.ts';
import { varveActionTypes } from '../../../src/languages/varve/action-types.ts';

export interface Dataset {
  readonly path: string;
  readonly value: Json;
}

export interface RanWorkflow {
  readonly datasets: ReadonlyMap<string, Dataset>;
  readonly failures: ReadonlyMap<string, AttemptFailure>;
  readonly skipped: ReadonlyMap<string, string>;
  /** What each growing node became. */
  readonly grown: ReadonlyMap<string, readonly string[]>;
  readonly nodes: ReadonlyMap<string, NodeDefinition>;
}

/** A directory that goes away with the test. */
export async function temporaryFolder(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-language-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The directories of one attempt, as a storage makes them. */
export function attemptSpace(root: string, key: string): AttemptSpace {
  const directory = join(root, 'attempts', key);
  const [work, out, logs, control] = ['work', 'out', 'logs', 'control'].map((name) =>
    join(directory, name),
  ) as [string, string, string, string];
  for (const path of [work, out, logs, control]) mkdirSync(path, { recursive: true });
  return { directory, work, out, logs, control };
}

/** Executes a job to its end, as a back-end does. */
export function execute(job: BackendJob): Promise<Extract<JobOutcome, { kind: 'exited' }>> {
  const files = [
    openSync(job.stdin ?? '/dev/null', 'r'),
    openSync(job.stdout, 'a'),
    openSync(job.stderr, 'a'),
  ];
  const startedAt = Date.now();
  const [program, ...rest] = job.argv;
  const child = spawn(program!, rest, {
    cwd: job.cwd,
    env: job.env,
    stdio: files as [number, number, number],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const file of files) closeSync(file);
      const end = { kind: 'exited', startedAt, endedAt: Date.now(), exitCode: code ?? 128 } as const;
      resolve(signal === null ? end : { ...end, signal });
    });
  });
}

/** Runs every node whose parents have datasets; nothing is reused. */
export async function runWorkflow(
  workflow: WorkflowDefinition,
  root: string,
  types: readonly ActionType[] = varveActionTypes(),
): Promise<RanWorkflow> {
  const byName = new Map(types.map((type) => [type.name, type]));
  const ran = {
    datasets: new Map<string, Dataset>(),
    failures: new Map<string, AttemptFailure>(),
    skipped: new Map<string, string>(),
    grown: new Map<string, readonly string[]>(),
    nodes: new Map<string, NodeDefinition>(),
  };
  const waiting = [...workflow.nodes];
  let number = 0;
  for (let blocked = 0; waiting.length > 0 && blocked <= waiting.length; ) {
    const node = waiting.shift()!;
    const inputs = inputsOf(node, ran);
    if (inputs === undefined) {
      waiting.push(node);
      blocked += 1;
      continue;
    }
    blocked = 0;
    ran.nodes.set(node.key, node);
    const type = byName.get(node.type)!;
    if (node.expands) {
      const growth = await type.expand!(node, inputs);
      if (growth.skipped !== undefined) ran.skipped.set(node.key, growth.skipped);
      else ran.grown.set(node.key, growth.results);
      waiting.unshift(...growth.nodes);
      continue;
    }
    const space = attemptSpace(root, `a${(number += 1)}`);
    const context = { node, inputs, space, key: `a${number}` };
    const outcome = await execute((await type.prepare(context))!);
    const collected = await type.collect({ ...context, outcome });
    if ('failure' in collected) ran.failures.set(node.key, collected.failure);
    else ran.datasets.set(node.key, { path: space.out, value: collected.value });
  }
  return ran;
}

/** The datasets behind a node's links, or undefined while one is missing. */
function inputsOf(node: NodeDefinition, ran: RanWorkflow): InputDataset[] | undefined {
  const inputs: InputDataset[] = [];
  for (const link of node.parents) {
    const members = membersOf(link, ran);
    if (members === undefined) return undefined;
    for (const [index, key] of members.entries()) {
      const dataset = ran.datasets.get(key);
      if (dataset === undefined) return undefined;
      const position = members.length === 1 ? '' : String(index).padStart(9, '0');
      inputs.push({
        slot: link.slot,
        position,
        node: key,
        path: dataset.path,
        digest: '',
        value: dataset.value,
      });
    }
  }
  return inputs;
}

function membersOf(link: ParentLink, ran: RanWorkflow): readonly string[] | undefined {
  if (ran.datasets.has(link.key)) return [link.key];
  if (ran.skipped.has(link.key)) return link.optional ? [] : undefined;
  return ran.grown.get(link.key);
}
