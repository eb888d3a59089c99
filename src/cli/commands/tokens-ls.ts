// `varve tokens ls`: tokens and when they were used last.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'tokens ls'> = ({ options: { user } }, context) =>
  withApi(context, async (api) => {
    const { items } = await api.listTokens(user === undefined ? {} : { user });
    const { output } = context;
    output.result(
      items.map((item) => ({ ...item })),
      () => {
        if (items.length === 0) return 'no tokens';
        const when = (at: number | null): string => (at === null ? '' : showMoment(at));
        const cells = items.map((item) => [
          String(item.token),
          item.user,
          item.name,
          item.role,
          item.project ?? '',
          item.revokedAt === null ? when(item.expiresAt) : 'revoked',
          when(item.usedAt),
        ]);
        const titles = ['TOKEN', 'USER', 'NAME', 'ROLE', 'PROJECT', 'EXPIRES', 'USED'];
        const columns = titles.map((title) => ({ title }));
        return renderTable(columns, cells, output.style, output.columns()).join('\n');
      },
    );
    return 0;
  });
