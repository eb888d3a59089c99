// A workflow as a drawing: tasks with parents, a stage each, and typical figures. Shapes make templates, WfFormat instances
// become templates, and the resubmission model turns templates into histories.

export interface TemplateTask {
  readonly label: string;
  /** Tasks of one stage run the same program: an edit of its options changes them all. */
  readonly stage: string;
  /** Positions of parents in the list; all smaller than the task's own. */
  readonly parents: readonly number[];
  readonly sizeBytes: number;
  readonly computeSeconds: number;
}

export interface Template {
  readonly name: string;
  readonly tasks: readonly TemplateTask[];
}

/** Positions of the tasks that no other task reads. */
export function sinksOf(template: Template): number[] {
  const read = new Set(template.tasks.flatMap((task) => task.parents));
  return template.tasks.map((_, i) => i).filter((i) => !read.has(i));
}

/** Length of the longest way from a root, per task. */
export function depthsOf(template: Template): number[] {
  const depth: number[] = [];
  for (const task of template.tasks) depth.push(Math.max(-1, ...task.parents.map((p) => depth[p]!)) + 1);
  return depth;
}
