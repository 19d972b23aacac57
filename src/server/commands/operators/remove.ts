import { type Command, EXIT } from '../../cli/types.js';
import { removeOperator } from '../../console/operator-accounts.js';
import { readName, runOperators } from './run-operators.js';

export const removeOperatorCommand: Command = {
  summary: 'Remove an operator of the console',
  help: 'Ends the sessions of the operator. One owner has to remain.',
  options: {},
  positionals: ['NAME'],
  async run(args, io) {
    const name = readName(args, io, 'remove');
    if (name === null) return EXIT.wrongUsage;
    return runOperators(args, io, 'remove', async (app, deed) => {
      await removeOperator(app, deed, name);
      return `${name} is removed.\n`;
    });
  },
};
