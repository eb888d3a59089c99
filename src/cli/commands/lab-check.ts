// `varve lab check`: the contract suite on a decision algorithm.
import type { Json } from '../../core/json.ts';
import { resolveAlgorithm } from '../../decisions/load-plugin.ts';
import { checkRules } from '../../lab/check-algorithm.ts';
import { checkModule } from '../../lab/check-module.ts';
import type { CommandRun } from '../command-table.ts';
import { countProgress } from '../terminal/count-progress.ts';

export const run: CommandRun<'lab check'> = async ({ arguments: given, options }, { output }) => {
  const module = resolveAlgorithm(given.algorithm, process.cwd());
  const progress = countProgress(
    process.stderr,
    output.noteStyle,
    'situations',
    !output.quiet && !output.json,
  );
  const findings = await checkModule(module, {
    cases: options.cases,
    limitMs: options.limit,
    onProgress: progress.update,
  });
  progress.stop();
  output.result(JSON.parse(JSON.stringify({ passed: findings.length === 0, findings })) as Json, () => {
    if (findings.length === 0) return `${given.algorithm} keeps its contract in ${options.cases} situations`;
    const broken = [...new Set(findings.map(({ rule }) => rule))];
    return broken
      .map((rule) => {
        const own = findings.filter((finding) => finding.rule === rule);
        const examples = own.slice(0, 3).map(({ where, problem }) => `    ${where}: ${problem}`);
        const more = own.length > 3 ? [`    and ${own.length - 3} more`] : [];
        return [`  ${rule}: an algorithm ${checkRules[rule]}`, ...examples, ...more].join('\n');
      })
      .concat(`${given.algorithm} breaks ${broken.length} of ${Object.keys(checkRules).length} rules`)
      .join('\n');
  });
  return findings.length === 0 ? 0 : 1;
};
