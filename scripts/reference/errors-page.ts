// docs/reference/errors.md: every error code, from all files named error-codes.ts below src/.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ErrorDeclaration, errorKinds } from '../../src/core/errors.ts';
import { generatedFrom, markdownTable, type ReferencePage } from './reference-page.ts';

type Declarations = Readonly<Record<string, ErrorDeclaration<never[]>>>;

const source = join(import.meta.dirname, '..', '..', 'src');

/** The declarations of every part, by its folder below src/. */
export async function allErrorDeclarations(): Promise<Map<string, Declarations>> {
  const areas = new Map<string, Declarations>();
  for (const file of globSync('**/error-codes.ts', { cwd: source }).sort()) {
    const exported = Object.values((await import(join(source, file))) as Record<string, unknown>);
    const tables = exported.map((value) => (value as { declarations?: Declarations }).declarations ?? {});
    areas.set(dirname(file), Object.assign({}, ...tables));
  }
  return areas;
}

export const errorsPage: ReferencePage = {
  path: 'errors.md',
  render: async () => {
    const areas = await allErrorDeclarations();
    return [
      '# Errors',
      generatedFrom('the files named error-codes.ts'),
      'An error has a kind, from which exit code, HTTP status and retry follow, and a code that never changes its meaning. The terminal shows `message [CODE]`; the API gives the same code. `varve errors CODE` explains one.',
      '## Kinds',
      markdownTable(
        ['kind', 'meaning', 'exit code', 'HTTP', 'retry'],
        Object.entries(errorKinds).map(([kind, { meaning, exitCode, httpStatus, retry }]) => [
          kind,
          meaning,
          String(exitCode),
          String(httpStatus),
          retry,
        ]),
      ),
      '## Codes',
      ...[...areas].flatMap(([area, declarations]) => [
        `### ${area}`,
        markdownTable(
          ['code', 'kind', 'meaning'],
          Object.entries(declarations).map(([code, { kind, summary, hint }]) => [
            `\`${code}\``,
            kind,
            hint ? `${summary} *Hint: ${hint}.*` : summary,
          ]),
        ),
      ]),
    ].join('\n\n');
  },
};
