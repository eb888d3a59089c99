// Runs the nodes of a lowered CWL workflow with the real action types and plain child processes, without store and engine: what the
// engine does, reduced to its order of calls. For tests of the language alone.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VarveError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { ActionType, InputDataset } from '../../src/core/ports/action-type.ts';
import type { BackendJob, JobOutcome } from '../../src/core/ports/backend.ts';
import type { NodeDefinition, WorkflowDefinition } from '../../src/core/workflow.ts';
import {
  type CwlActionOptions,
  cwlActionTypes,
  outputsKey,
  runOutputs,
} from '../../src/languages/cwl/index.ts';

interface Stored {
  readonly path: string;
  readonly value: Json;
}

/** What a node has become: its dataset, the nodes that stand for it, or nothing. */
type End =
  | { readonly stored: Stored }
  | { readonly results: readonly string[]; readonly list: boolean }
  | { readonly skipped: string };

export interface DirectRun {
  /** Output object with absolute locations. */
  readonly outputs: JsonObject;
  /** Where datasets are kept; the caller removes it. */
  readonly folder: string;
  /** The nodes that computed something, in the order of their ends. */
  readonly computed: readonly NodeDefinition[];
}

/** Runs a workflow to its end; throws the error of the first node that fails. */
export async function runDirectly(
  workflow: WorkflowDefinition,
  options: CwlActionOptions = {},
): Promise<DirectRun> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-cwl-'));
  const run = new Run(folder, cwlActionTypes({ path: process.env.PATH, ...options }));
  const outputs = await run.all(workflow);
  return { outputs, folder, computed: run.computed };
}

const nothingToRun: JobOutcome = { kind: 'exited', exitCode: 0, startedAt: 0, endedAt: 0 };

class Run {
  readonly computed: NodeDefinition[] = [];
  private readonly types: ReadonlyMap<string, ActionType>;
  private readonly folder: string;
  private readonly ends = new Map<string, End>();
  private readonly waiting = new Map<string, NodeDefinition>();

  constructor(folder: string, types: readonly ActionType[]) {
    this.folder = folder;
    this.types = new Map(types.map((type) => [type.name, type]));
  }

  async all(workflow: WorkflowDefinition): Promise<JsonObject> {
    for (const node of workflow.nodes) this.waiting.set(node.key, node);
    const slots = 2;
    const busy = new Set<Promise<void>>();
    let failure: unknown;
    while (this.waiting.size > 0 || busy.size > 0) {
      const ready = failure === undefined && busy.size < slots ? this.takeReady() : undefined;
      if (ready !== undefined) {
        const work = this.one(ready)
          .catch((error: unknown) => {
            failure ??= error;
          })
          .finally(() => busy.delete(work));
        busy.add(work);
      } else if (busy.size > 0) await Promise.race(busy);
      else break;
    }
    if (failure !== undefined) throw failure;
    if (this.waiting.size > 0)
      throw new Error(`these nodes never became ready: ${[...this.waiting.keys()].join(', ')}`);
    const key = workflow.nodes.some((node) => node.key === outputsKey) ? outputsKey : workflow.nodes[0]!.key;
    const node = workflow.nodes.find((one) => one.key === key)!;
    const [own] = this.datasets('', key, '');
    return runOutputs(own!.value, own!, this.inputsOf(node));
  }

  private takeReady(): NodeDefinition | undefined {
    for (const [key, node] of this.waiting) {
      if (!node.parents.every((link) => this.isKnown(link.key))) continue;
      this.waiting.delete(key);
      return node;
    }
    return undefined;
  }

  private isKnown(key: string): boolean {
    const end = this.ends.get(key);
    if (end === undefined) return false;
    return !('results' in end) || end.results.every((result) => this.isKnown(result));
  }

  private async one(node: NodeDefinition): Promise<void> {
    const type = this.types.get(node.type)!;
    const inputs = this.inputsOf(node);
    if (node.expands) {
      const growth = await type.expand!(node, inputs);
      for (const grown of growth.nodes) this.waiting.set(grown.key, grown);
      this.ends.set(
        node.key,
        growth.skipped === undefined
          ? { results: growth.results, list: growth.list }
          : { skipped: growth.skipped },
      );
      return;
    }
    await type.physicalIdentity?.(node, inputs);
    const key = `${this.computed.length}-${Math.random().toString(36).slice(2)}`;
    const directory = join(this.folder, key);
    const space = {
      directory,
      work: join(directory, 'work'),
      out: join(directory, 'out'),
      logs: join(directory, 'logs'),
      control: join(directory, 'control'),
    };
    for (const path of [space.work, space.out, space.logs]) await mkdir(path, { recursive: true });
    const context = { node, inputs, space, key };
    const job = await type.prepare(context);
    const outcome = job === undefined ? nothingToRun : await execute(job);
    if (outcome.kind !== 'exited') throw new VarveError('timeout', 'TIMEOUT', `${node.name} took too long`);
    const collected = await type.collect({ ...context, outcome });
    if ('failure' in collected)
      throw new VarveError('failed', collected.failure.code, collected.failure.message);
    const path = join(this.folder, `${key}.dataset`);
    await rename(space.out, path);
    await seal(path);
    this.computed.push(node);
    this.ends.set(node.key, { stored: { path, value: collected.value } });
  }

  private inputsOf(node: NodeDefinition): InputDataset[] {
    return node.parents.flatMap((link) => this.datasets(link.slot, link.key, link.position ?? ''));
  }

  private datasets(slot: string, key: string, position: string): InputDataset[] {
    const end = this.ends.get(key)!;
    if ('skipped' in end) return [];
    if ('stored' in end)
      return [{ slot, position, node: key, path: end.stored.path, digest: '', value: end.stored.value }];
    return end.results.flatMap((result, index) => {
      const own = String(index).padStart(8, '0');
      return this.datasets(
        slot,
        result,
        end.list ? (position === '' ? own : `${position}.${own}`) : position,
      );
    });
  }
}

async function seal(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o444);
}

function execute(job: BackendJob): Promise<JobOutcome> {
  const startedAt = Date.now();
  const descriptors = [
    openSync(job.stdin ?? '/dev/null', 'r'),
    openSync(job.stdout, 'a'),
    job.stderr === job.stdout ? openSync(job.stdout, 'a') : openSync(job.stderr, 'a'),
  ];
  const [program, ...args] = job.argv;
  return new Promise((resolve) => {
    const child = spawn(program!, args, {
      cwd: job.cwd,
      env: { ...job.env },
      stdio: descriptors as never,
      detached: true,
    });
    for (const descriptor of descriptors) closeSync(descriptor);
    let late = false;
    const timer =
      job.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            late = true;
            process.kill(-child.pid!, 'SIGKILL');
          }, job.timeoutMs);
    const end = (exitCode: number, signal: string | undefined): void => {
      clearTimeout(timer);
      const times = { startedAt, endedAt: Date.now() };
      resolve(late ? { kind: 'timeout', ...times } : { kind: 'exited', exitCode, signal, ...times });
    };
    child.on('error', () => end(127, undefined));
    child.on('exit', (code, signal) => end(code ?? 128, signal ?? undefined));
  });
}
