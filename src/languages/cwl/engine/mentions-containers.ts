// Whether anything in a process asks for a container, required or not: only then is an engine looked for.
import type { Process } from '../model/process.ts';
import type { Requirement } from '../model/requirement.ts';

export function mentionsContainers(process: Process, further: readonly Requirement[] = []): boolean {
  const own = [...further, ...process.requirements, ...process.hints];
  if (own.some((one) => one.class === 'DockerRequirement')) return true;
  return (
    process.class === 'Workflow' &&
    process.steps.some((step) => mentionsContainers(step.run, [...step.requirements, ...step.hints]))
  );
}
