import { type Command, EXIT } from '../../cli/types.js';
import { resetOperator } from '../../console/operator-accounts.js';
import { describeLink, readName, runOperators } from './run-operators.js';

export const resetOperatorCommand: Command = {
  summary: 'Let an operator set up the sign-in again',
  help: 'Removes passkeys, password and sessions of the operator, and prints a link that works once within 15 minutes.',
  options: {},
  positionals: ['NAME'],
  async run(args, io) {
    const name = readName(args, io, 'reset');
    if (name === null) return EXIT.wrongUsage;
    return runOperators(args, io, 'reset', async (app, deed) => describeLink(await resetOperator(app, deed, name)));
  },
};
