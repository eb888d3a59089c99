// Gets the files of an output object into a dataset directory. An attempt may be collected by several processes at a time: one that was
// slow and the one that took its work over. So each prepares in a folder of its own and changes nothing of the command's; then one plan
// is chosen for good, by being written down first; whoever comes by carries that one out. What is missing from the command's folder was
// moved by a plan that is written down already. What touches only directory entries is done at once: handing it to another thread costs
// more than the system call; and files go straight into the target, as replacing one folder by another costs more than all their moves.
import { randomUUID } from 'node:crypto';
import {
  constants,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { type PublishPlan, type PublishRules, planPublish } from './publish-plan.ts';

/** Where a dataset is made. */
export interface PublishPlace {
  /** The dataset's directory, which is there and empty. */
  readonly target: string;
  /** A folder beside it for what is being prepared. */
  readonly directory: string;
}

/** The plan that was chosen: what is left to do once everything but the moves is done. Names are relative to the target. */
interface Choice {
  readonly outputs: JsonObject;
  /** Outer ones first. */
  readonly folders: readonly string[];
  readonly moves: readonly { readonly name: string; readonly source: string }[];
}

/** The output object with locations relative to the target, which then holds every file of it. May be repeated, also at the same time. */
export async function publishOutputs(
  outputs: JsonObject,
  place: PublishPlace,
  rules: PublishRules,
): Promise<JsonObject> {
  const plan = await planPublish(outputs, rules);
  // Nothing may have been found because somebody else moved it.
  if (plan.steps.length === 0) return (await finishPublishing(place)) ?? plan.outputs;
  if (isTouched(place)) {
    const others = await finishPublishing(place);
    if (others) return others;
    throw cwlErrors.CWL_OUTPUT(place.target, 'the command wrote to the folder that becomes its dataset');
  }
  const own = `collected-${randomUUID()}`;
  return await carryOut(choose(place, own, await prepare(plan, posix.join(place.directory, own))), place);
}

/** Finishes what another process had chosen to publish; undefined when nothing was chosen yet. */
export async function finishPublishing(place: PublishPlace): Promise<JsonObject | undefined> {
  const choice = readChoice(place);
  return choice && (await carryOut(choice, place));
}

/** True when something is in the target, or when it became a dataset already. */
function isTouched({ target }: PublishPlace): boolean {
  try {
    return readdirSync(target).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return true;
  }
}

/** Makes what is not the command's own in `folder`, from where it is moved like all else. */
async function prepare({ outputs, steps }: PublishPlan, folder: string): Promise<Choice> {
  const folders = new Set<string>();
  const moves: { name: string; source: string }[] = [];
  for (const step of steps) {
    for (let end = step.name.indexOf('/'); end > 0; end = step.name.indexOf('/', end + 1))
      folders.add(step.name.slice(0, end));
    if (step.do === 'folder') {
      if (step.name !== '') folders.add(step.name);
      continue;
    }
    if (step.do === 'move') {
      moves.push({ name: step.name, source: step.source });
      continue;
    }
    const source = posix.join(folder, String(moves.length));
    mkdirSync(folder, { recursive: true });
    if (step.do === 'write') await writeFile(source, step.contents);
    else if (step.do === 'link') symlinkSync(step.source, source);
    else await copyFile(step.source, source, constants.COPYFILE_FICLONE);
    moves.push({ name: step.name, source });
  }
  return { outputs, folders: [...folders], moves };
}

/** Writes the choice down; returns the one that was written down first. */
function choose(place: PublishPlace, name: string, own: Choice): Choice {
  const draft = posix.join(place.directory, `${name}.json`);
  writeFileSync(draft, JSON.stringify(own));
  try {
    linkSync(draft, choiceFile(place));
    return own;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    rmSync(posix.join(place.directory, name), { recursive: true, force: true });
    const first = readChoice(place);
    // The attempt is over, and its folder is being removed.
    if (first === undefined) throw cwlErrors.CWL_COLLECTED_DAMAGED(choiceFile(place));
    return first;
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

/** Makes the folders and moves the files; a step that somebody else did already, up to the whole dataset, is no error. */
async function carryOut({ outputs, folders, moves }: Choice, place: PublishPlace): Promise<JsonObject> {
  for (const name of folders) makeFolder(posix.join(place.target, name));
  for (const { name, source } of moves) await moveFile(source, posix.join(place.target, name), place);
  return outputs;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

async function moveFile(source: string, path: string, { directory }: PublishPlace): Promise<void> {
  try {
    renameSync(source, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'EXDEV') throw error;
    await moveAcross(source, path, directory);
  }
}

/** From another file system: complete under its name or not at all, and never in the place of what is there. */
async function moveAcross(source: string, path: string, directory: string): Promise<void> {
  const part = posix.join(directory, `part-${randomUUID()}`);
  try {
    await copyFile(source, part);
    linkSync(part, path);
    rmSync(part, { force: true });
    unlinkSync(source);
  } catch (error) {
    rmSync(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') rmSync(source, { force: true });
    else if (code !== 'ENOENT') throw error;
  }
}
