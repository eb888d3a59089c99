// Carries out the plan by which files get into a dataset directory. It may be repeated: the plan is written down before the command's
// files are moved, so after a crash it is finished, not made again. What touches only directory entries is done at once: handing it to
// another thread costs more than the system call.
import {
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, unlink, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { JsonObject } from '../../../core/json.ts';
import { type PublishRules, type PublishStep, planPublish } from './publish-plan.ts';

/** Where a dataset is made. */
export interface PublishPlace {
  /** The dataset's directory. */
  readonly target: string;
  /** Where the plan is written down; needed when files are moved. */
  readonly journal?: string | undefined;
}

/** What is left to do once everything but the moves is done. */
interface Journal {
  readonly outputs: JsonObject;
  readonly moves: readonly PublishStep[];
}

/** The output object with locations relative to the target, which then holds every file of it. */
export async function publishOutputs(
  outputs: JsonObject,
  place: PublishPlace,
  rules: PublishRules,
): Promise<JsonObject> {
  emptyFolder(place.target);
  const plan = await planPublish(outputs, rules);
  const moves = plan.steps.filter((step) => step.do === 'move');
  // Moves come last: until then everything is where it was, and a repetition starts afresh.
  for (const step of plan.steps) if (step.do !== 'move') await applyStep(step, place.target);
  if (moves.length > 0 && place.journal !== undefined) {
    const journal: Journal = { outputs: plan.outputs, moves };
    writeFileSync(`${place.journal}.new`, JSON.stringify(journal));
    renameSync(`${place.journal}.new`, place.journal);
  }
  for (const step of moves) await applyStep(step, place.target);
  return plan.outputs;
}

/** Finishes what an interrupted `publishOutputs` had begun; undefined when it had not moved anything yet. */
export async function finishPublishing(place: Required<PublishPlace>): Promise<JsonObject | undefined> {
  const text = readIfThere(place.journal!);
  if (text === undefined) return undefined;
  const { outputs, moves } = JSON.parse(text) as Journal;
  for (const step of moves) await applyStep(step, place.target);
  return outputs;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Usually it is there and empty already: one look is all it takes. */
function emptyFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  for (const name of readdirSync(path)) rmSync(posix.join(path, name), { recursive: true, force: true });
}

async function applyStep(step: PublishStep, target: string): Promise<void> {
  const path = posix.join(target, step.name);
  if (step.do === 'folder') {
    mkdirSync(path, { recursive: true });
    return;
  }
  if (step.name.includes('/')) mkdirSync(posix.dirname(path), { recursive: true });
  if (step.do === 'write') return await writeFile(path, step.contents);
  if (step.do === 'move') return await moveFile(step.source, path);
  rmSync(path, { force: true });
  if (step.do === 'link') symlinkSync(step.source, path);
  else await copyFile(step.source, path, constants.COPYFILE_FICLONE);
}

async function moveFile(source: string, path: string): Promise<void> {
  try {
    renameSync(source, path);
  } catch (error) {
    const code = (error as { code?: string }).code;
    // An earlier try moved it already.
    if (code === 'ENOENT') return;
    if (code !== 'EXDEV') throw error;
    await copyFile(source, path);
    await unlink(source);
  }
}
