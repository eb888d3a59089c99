// `varve datasets verify`: compares files with what was recorded; damaged ones become misses.
import type { Api } from '../../api/api.ts';
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

type Depth = 'exists' | 'sizes' | 'contents';

interface Checked {
  readonly intact: number;
  readonly missing: number;
  readonly damaged: number;
  readonly bad: readonly { readonly signature: string; readonly name: string; readonly found: string }[];
}

export const run: CommandRun<'datasets verify'> = ({ arguments: given, options }, context) =>
  withApi(context, async (api) => {
    const checked =
      given.dataset.length > 0
        ? await checkSome(api, given.dataset, options.depth)
        : await checkAll(api, options.depth);
    const { bad, ...counts } = checked;
    context.output.result({ ...counts, bad: bad.map((one) => ({ ...one })) }, () =>
      [
        ...bad.map(({ signature, name, found }) => `${signature.slice(0, 12)} ${name}: ${found}`),
        `${counts.intact} intact, ${counts.missing} missing, ${counts.damaged} damaged`,
      ].join('\n'),
    );
    return bad.length > 0 ? 9 : 0;
  });

async function checkSome(api: Api, prefixes: readonly string[], depth: Depth): Promise<Checked> {
  const counts = { intact: 0, missing: 0, damaged: 0 };
  const bad: Checked['bad'][number][] = [];
  for (const prefix of prefixes) {
    const { dataset, name, found } = await api.verifyDataset({ dataset: prefix, depth });
    counts[found] += 1;
    if (found !== 'intact') bad.push({ signature: dataset, name, found });
  }
  return { ...counts, bad };
}

async function checkAll(api: Api, depth: Depth): Promise<Checked> {
  const counts = { intact: 0, missing: 0, damaged: 0 };
  const bad: Checked['bad'][number][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await api.verifyStorage({ depth, ...(cursor === undefined ? {} : { cursor }) });
    counts.intact += page.intact;
    counts.missing += page.missing;
    counts.damaged += page.damaged;
    bad.push(...page.bad.map(({ dataset, name, found }) => ({ signature: dataset, name, found })));
    cursor = page.next;
  }
  return { ...counts, bad };
}
