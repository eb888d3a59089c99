// A CWL runner for tests: `cwl-runner [--outdir DIR] TOOL [JOB]`, on the direct runner, without containers. Prints the output object.
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { errorKinds, formatError, VarveError } from '../../src/core/errors.ts';
import {
  loadDocument,
  loadJob,
  lowerCwlWorkflow,
  outputText,
  stageOutputs,
  urlOfArgument,
} from '../../src/languages/cwl/index.ts';
import { runDirectly } from './direct-runner.ts';

const { values, positionals } = parseArgs({
  options: { outdir: { type: 'string' } },
  allowPositionals: true,
});
const [tool, jobFile] = positionals;

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
  });
  const run = await runDirectly(workflow);
  const outputs = await stageOutputs(run.outputs, values.outdir ?? process.cwd());
  await rm(run.folder, { recursive: true, force: true });
  console.log(outputText(outputs));
} catch (error) {
  if (!(error instanceof VarveError)) throw error;
  console.error(formatError(error));
  process.exitCode = errorKinds[error.kind].exitCode;
}
