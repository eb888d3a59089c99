// `varve doctor`: is everything here that Varve needs?

import type { LoadedConfig } from '../../config/load-config.ts';
import { errorKinds, formatError, VarveError } from '../../core/errors.ts';
import type { CommandContext } from '../command.ts';
import type { CommandRun } from '../command-table.ts';
import { checkAlgorithms } from '../doctor/check-algorithms.ts';
import { checkFolder, checkNode, checkPrograms } from '../doctor/check-machine.ts';
import { checkPostgres } from '../doctor/check-postgres.ts';
import { checkSandbox } from '../doctor/check-sandbox.ts';
import type { Finding, FindingLevel } from '../doctor/finding.ts';
import type { Output } from '../output.ts';
import type { Style } from '../terminal/style.ts';
import { renderTable } from '../terminal/table.ts';

const optionalPrograms = [
  { subject: 'compiler', programs: ['cc', 'gcc', 'clang'], cost: 'actions start a little slower' },
  { subject: 'git', programs: ['git'], cost: 'only developers of Varve need it' },
  {
    subject: 'containers',
    programs: ['podman', 'docker', 'apptainer'],
    cost: 'actions that name a container cannot run',
  },
] as const;

const paint: Readonly<Record<FindingLevel, keyof Omit<Style, 'enabled'>>> = {
  ok: 'green',
  missing: 'dim',
  warning: 'yellow',
  error: 'red',
};

export const run: CommandRun<'doctor'> = async (_invocation, context) => {
  const findings = [
    checkNode(process.versions.node),
    ...(await checkFolder('home folder', context.home)),
    ...(await checkConfigured(context)),
    ...(await Promise.all(
      optionalPrograms.map(({ subject, programs, cost }) => checkPrograms(subject, programs, cost)),
    )),
  ];
  show(findings, context.output);
  return findings.some(({ level }) => level === 'error') ? errorKinds.unavailable.exitCode : 0;
};

async function checkConfigured(context: CommandContext): Promise<Finding[]> {
  let loaded: LoadedConfig;
  try {
    loaded = await context.config();
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return [{ subject: 'configuration', level: 'error', detail: formatError(error) }];
  }
  const { config, file } = loaded;
  const detail = file.found ? file.path : `${file.path} does not exist; all settings have their defaults`;
  const store = config.store.url.startsWith('sqlite:')
    ? ({ subject: 'store', level: 'ok', detail: config.store.url } as const)
    : await checkPostgres(config.store.url);
  return [
    { subject: 'configuration', level: 'ok', detail },
    store,
    ...(await checkFolder('datasets', config.storage.root)),
    checkAlgorithms(config.decisions.algorithm, config.decisions.fallback, context.home),
    await checkSandbox(config.execution.sandbox, context.environment.variables.PATH ?? '/usr/bin:/bin'),
  ];
}

function show(findings: readonly Finding[], output: Output): void {
  const rows = findings.flatMap(({ subject, level, detail }) =>
    detail.split('\n').map((line, index) => (index === 0 ? [subject, level, line] : ['', '', line])),
  );
  const columns = [
    { title: 'CHECK' },
    {
      title: 'RESULT',
      paint: (cell: string, row: readonly string[]) =>
        output.style[paint[(row[1] || 'ok') as FindingLevel]](cell),
    },
    { title: 'DETAIL' },
  ];
  output.result(
    findings.map((finding) => ({ ...finding })),
    () => renderTable(columns, rows, output.style, output.columns()).join('\n'),
  );
}
