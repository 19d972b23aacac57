import { type OperatorRow, readOperators } from '../../../db/operators.js';
import type { Command } from '../../cli/types.js';
import { runOperators } from './run-operators.js';

export const listOperators: Command = {
  summary: 'List the operators of the console',
  help: 'Prints names, roles, ways to sign in, and the last sign-in.',
  options: {},
  run: (args, io) =>
    runOperators(args, io, 'list', async ({ db }) => {
      const operators = await readOperators(db);
      return operators.length === 0 ? 'There are none.\n' : operators.map(describe).join('');
    }),
};

function describe({ name, role, has_password, passkeys, last_sign_in_at }: OperatorRow): string {
  const ways = [...(passkeys > 0 ? [`${passkeys} passkeys`] : []), ...(has_password ? ['password'] : [])];
  const last = last_sign_in_at === null ? 'never signed in' : `signed in ${last_sign_in_at}`;
  return `${name.padEnd(24)} ${role.padEnd(8)} ${(ways.join(', ') || 'not set up').padEnd(24)} ${last}\n`;
}
