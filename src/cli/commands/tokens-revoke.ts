// `varve tokens revoke`: a token is worth nothing from now on.
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'tokens revoke'> = ({ arguments: given }, context) =>
  withApi(context, async (api) => {
    if (!/^[0-9]{1,15}$/.test(given.token))
      throw cliErrors.CLI_ARGUMENT_VALUE('token', 'its number', JSON.stringify(given.token));
    const { token } = await api.revokeToken({ token: Number(given.token) });
    context.output.result({ token }, () => `token ${token} is revoked`);
    return 0;
  });
