// A CWL runner for tests: `cwl-runner [--outdir DIR] [--home DIR] TOOL [JOB]`, without containers: on the direct runner, or with a
// home on the engine. Prints the output object.
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { errorKinds, formatError, VarveError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { WorkflowDefinition } from '../../src/core/workflow.ts';
import {
  type ContainerRun,
  imagePreparer,
  loadDocument,
  loadJob,
  lowerCwlWorkflow,
  outputText,
  stageOutputs,
  urlOfArgument,
} from '../../src/languages/cwl/index.ts';
import { runDirectly } from './direct-runner.ts';

const { values, positionals } = parseArgs({
  options: { outdir: { type: 'string' }, home: { type: 'string' }, container: { type: 'string' } },
  allowPositionals: true,
});
const [tool, jobFile] = positionals;
const container =
  values.container === undefined ? undefined : containerRun(values.container as 'docker' | 'podman');

try {
  const document = await loadDocument(urlOfArgument(tool!, process.cwd()));
  for (const warning of document.warnings) console.error(`warning: ${formatError(warning)}`);
  const given =
    jobFile === undefined
      ? undefined
      : await loadJob(urlOfArgument(jobFile, process.cwd()), { namespaces: document.namespaces });
  const workflow = await lowerCwlWorkflow(document.process, given?.job ?? {}, {
    requirements: given?.requirements,
    placeOfInput: given?.placeOfInput,
    container: container === undefined ? undefined : { engine: container.engine },
  });
  const outdir = values.outdir ?? process.cwd();
  const outputs =
    values.home === undefined
      ? await direct(workflow, outdir)
      : await onEngine(workflow, values.home, outdir);
  console.log(outputText(outputs));
} catch (error) {
  if (!(error instanceof VarveError)) throw error;
  console.error(formatError(error));
  process.exitCode = errorKinds[error.kind].exitCode;
}

function containerRun(engine: 'docker' | 'podman'): ContainerRun {
  const names = ['PATH', 'HOME', 'DOCKER_HOST', 'CONTAINERS_CONF', 'XDG_RUNTIME_DIR'];
  const environment = Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  const user = { uid: process.getuid!(), gid: process.getgid!() };
  return { engine, environment, user, image: imagePreparer(engine, environment) };
}

async function direct(workflow: WorkflowDefinition, outdir: string): Promise<JsonObject> {
  const run = await runDirectly(workflow, { container });
  try {
    return await stageOutputs(run.outputs, outdir);
  } finally {
    await rm(run.folder, { recursive: true, force: true });
  }
}

async function onEngine(workflow: WorkflowDefinition, home: string, outdir: string): Promise<JsonObject> {
  const { openEngine } = await import('./engine-runner.ts');
  const engine = await openEngine(home, { container });
  try {
    const { outputs, states } = await engine.run(workflow);
    console.error(JSON.stringify(states));
    return await stageOutputs(outputs, outdir);
  } finally {
    await engine.close();
  }
}
