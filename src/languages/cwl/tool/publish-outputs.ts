// Gets the files of an output object into a dataset directory. An attempt may be collected by several processes at a time: one that was
// slow and the one that took its work over. So each prepares in a folder of its own and changes nothing of the command's; then one plan
// is chosen for good, by being written down first; whoever comes by carries that one out. What touches only directory entries is
// done at once: handing it to another thread costs more than the system call.
import { randomUUID } from 'node:crypto';
import {
  constants,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, unlink, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { type PublishPlan, type PublishRules, type PublishStep, planPublish } from './publish-plan.ts';

/** Where a dataset is made. */
export interface PublishPlace {
  /** The dataset's directory, which is there and empty. */
  readonly target: string;
  /** A folder beside it for what is being prepared. */
  readonly directory: string;
}

/** The plan that was chosen: what is left to do once everything but the moves is done. */
interface Choice {
  readonly outputs: JsonObject;
  /** Name of the folder that becomes the dataset's directory. */
  readonly folder: string;
  readonly moves: readonly Pick<PublishStep & { do: 'move' }, 'name' | 'source'>[];
}

/** The output object with locations relative to the target, which then holds every file of it. May be repeated, also at the same time. */
export async function publishOutputs(
  outputs: JsonObject,
  place: PublishPlace,
  rules: PublishRules,
): Promise<JsonObject> {
  const plan = await planPublish(outputs, rules);
  if (plan.steps.length === 0) return plan.outputs;
  return await carryOut(choose(place, await prepareFolder(plan, place)), place);
}

/** Finishes what another process had chosen to publish; undefined when nothing was chosen yet. */
export async function finishPublishing(place: PublishPlace): Promise<JsonObject | undefined> {
  const choice = readChoice(place);
  return choice && (await carryOut(choice, place));
}

/** Does all but the moves, in a new folder. */
async function prepareFolder({ outputs, steps }: PublishPlan, { directory }: PublishPlace): Promise<Choice> {
  const folder = `collected-${randomUUID()}`;
  const path = posix.join(directory, folder);
  mkdirSync(path);
  const moves = [];
  for (const step of steps) {
    const target = posix.join(path, step.name);
    if (step.name.includes('/')) mkdirSync(posix.dirname(target), { recursive: true });
    if (step.do === 'folder') mkdirSync(target, { recursive: true });
    else if (step.do === 'write') await writeFile(target, step.contents);
    else if (step.do === 'link') symlinkSync(step.source, target);
    else if (step.do === 'copy') await copyFile(step.source, target, constants.COPYFILE_FICLONE);
    else moves.push({ name: step.name, source: step.source });
  }
  return { outputs, folder, moves };
}

/** Writes the choice down; returns the one that was written down first. */
function choose(place: PublishPlace, own: Choice): Choice {
  const draft = posix.join(place.directory, `${own.folder}.json`);
  writeFileSync(draft, JSON.stringify(own));
  try {
    linkSync(draft, choiceFile(place));
    return own;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    rmSync(posix.join(place.directory, own.folder), { recursive: true, force: true });
    return readChoice(place)!;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readChoice(place: PublishPlace): Choice | undefined {
  let text: string;
  try {
    text = readFileSync(choiceFile(place), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Choice;
  } catch (error) {
    // After a power failure a file may be empty; what the command wrote is then as doubtful.
    throw cwlErrors.CWL_COLLECTED_DAMAGED.with({ cause: error }, choiceFile(place));
  }
}

function choiceFile({ directory }: PublishPlace): string {
  return posix.join(directory, 'collected.json');
}

/** Moves the command's files and puts the folder in its place; a step that somebody else did already is no error. */
async function carryOut({ outputs, folder, moves }: Choice, place: PublishPlace): Promise<JsonObject> {
  const path = posix.join(place.directory, folder);
  for (const { name, source } of moves) await moveFile(source, posix.join(path, name));
  try {
    renameSync(path, place.target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      throw cwlErrors.CWL_OUTPUT(place.target, 'the command wrote to the folder that becomes its dataset');
    if (code !== 'ENOENT') throw error;
  }
  return outputs;
}

async function moveFile(source: string, path: string): Promise<void> {
  try {
    renameSync(source, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'EXDEV') throw error;
    await moveAcross(source, path);
  }
}

/** From another file system: complete under its name or not at all. */
async function moveAcross(source: string, path: string): Promise<void> {
  const part = `${path}.${randomUUID()}`;
  try {
    await copyFile(source, part);
    renameSync(part, path);
    await unlink(source);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    rmSync(part, { force: true });
  }
}
