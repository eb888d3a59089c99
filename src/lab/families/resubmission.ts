// People do not submit new workflows: they edit one that they have and run it again. A few projects, each with a template;
// sessions of work on one project; in each run some stages or single tasks get another parameter, new or one tried before.
// Whatever lies below an edit is a new dataset, whatever does not is the same as before.

import type { JsonObject } from '../../core/json.ts';
import type { History } from '../history.ts';
import { HistoryBuilder } from '../history-builder.ts';
import { Random } from '../random.ts';
import { depthsOf, sinksOf, type Template } from './template.ts';

export interface ResubmissionParameters {
  readonly runs: number;
  readonly projects: number;
  /** Exponent of the projects' popularity: 0 means that all are alike. */
  readonly projectSkew: number;
  /** Mean number of runs before somebody turns to another project. */
  readonly sessionRuns: number;
  /** Mean number of edits per run, at least one. */
  readonly editsPerRun: number;
  /** Larger means that edits happen nearer to the end of a workflow. */
  readonly lateBias: number;
  /** Chance that an edit changes one task (another input) instead of a whole stage (another option). */
  readonly singleTask: number;
  /** Chance that an edited parameter gets a value that was tried before. */
  readonly returnToOld: number;
  /** Chance that a run starts again from the project's first version instead of the last one. */
  readonly fromBase: number;
  /** Chance that an edit in the same session hits the stage that was edited last. */
  readonly sameStage: number;
}

export const resubmissionDefaults: ResubmissionParameters = {
  runs: 200,
  projects: 6,
  projectSkew: 1,
  sessionRuns: 5,
  editsPerRun: 1.3,
  lateBias: 1,
  singleTask: 0.25,
  returnToOld: 0.25,
  fromBase: 0.15,
  sameStage: 0.5,
};

interface Project {
  readonly name: string;
  readonly template: Template;
  readonly depths: readonly number[];
  readonly sinks: readonly number[];
  /** Parameter value of each task in the version that was run last. */
  version: readonly number[];
  readonly made: Map<string, number>;
  lastEdited: number | undefined;
  highest: number;
}

/** A history of edited resubmissions; `templateOf` draws the template of a project. */
export function generateResubmissions(
  p: ResubmissionParameters,
  seed: number,
  family: string,
  parameters: JsonObject,
  templateOf: (project: number, random: Random) => Template,
): History {
  const random = new Random(seed, `${family} runs`);
  const shapes = new Random(seed, `${family} shapes`);
  const builder = new HistoryBuilder();
  const projects = Array.from({ length: p.projects }, (_, i) => openProject(i, templateOf(i, shapes)));
  const weights = projects.map((_, i) => (i + 1) ** -p.projectSkew);
  let current = random.weighted(weights);
  for (let run = 0; run < p.runs; run += 1) {
    if (random.chance(1 / p.sessionRuns)) {
      current = random.weighted(weights);
      projects[current]!.lastEdited = undefined;
    }
    const project = projects[current]!;
    if (project.made.size > 0) edit(p, project, random);
    const numbers = materialise(project, builder, random);
    const results = project.sinks.map((task) => numbers[task]!);
    builder.addRun({ results, workflow: project.name });
  }
  return builder.build({ family, seed, parameters });
}

function openProject(index: number, template: Template): Project {
  return {
    name: `${template.name}-${index + 1}`,
    template,
    depths: depthsOf(template),
    sinks: sinksOf(template),
    version: template.tasks.map(() => 0),
    made: new Map(),
    lastEdited: undefined,
    highest: 0,
  };
}

function edit(p: ResubmissionParameters, project: Project, random: Random): void {
  const { template, depths } = project;
  const version = random.chance(p.fromBase) ? template.tasks.map(() => 0) : [...project.version];
  const weights = depths.map((depth) => (depth + 1) ** p.lateBias);
  let edits = 1;
  while (random.chance(1 - 1 / p.editsPerRun)) edits += 1;
  for (let i = 0; i < edits; i += 1) {
    const again = project.lastEdited !== undefined && random.chance(p.sameStage);
    const task = again ? project.lastEdited! : random.weighted(weights);
    const value = random.chance(p.returnToOld) ? random.below(project.highest + 1) : ++project.highest;
    const { stage } = template.tasks[task]!;
    const single = random.chance(p.singleTask);
    template.tasks.forEach((other, at) => {
      if (single ? at === task : other.stage === stage) version[at] = value;
    });
    project.lastEdited = task;
  }
  project.version = version;
}

/** Numbers of the version's datasets; those that no earlier version had are added. */
function materialise(project: Project, builder: HistoryBuilder, random: Random): number[] {
  const numbers: number[] = [];
  project.template.tasks.forEach((task, at) => {
    const parents = task.parents.map((parent) => numbers[parent]!);
    const key = `${at}:${project.version[at]}:${parents.join(',')}`;
    let number = project.made.get(key);
    if (number === undefined) {
      number = builder.addDataset({
        label: `${project.name}/${task.label}/${project.made.size + 1}`,
        sizeBytes: Math.max(1, random.logNormal(task.sizeBytes, 0.1)),
        computeSeconds: random.logNormal(task.computeSeconds, 0.1),
        parents,
      });
      project.made.set(key, number);
    }
    numbers.push(number);
  });
  return numbers;
}
