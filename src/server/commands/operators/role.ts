import { type Command, EXIT } from '../../cli/types.js';
import { changeOperatorRole } from '../../console/operator-accounts.js';
import { readName, readRole, runOperators } from './run-operators.js';

export const changeRole: Command = {
  summary: 'Change the role of an operator',
  help: 'Ends the sessions of the operator. One owner has to remain.',
  options: {},
  positionals: ['NAME', 'ROLE'],
  async run(args, io) {
    const name = readName(args, io, 'role');
    const role = name === null ? null : readRole(args.positionals[1], io, 'role');
    if (name === null || role === null) return EXIT.wrongUsage;
    return runOperators(args, io, 'role', async (app, deed) => {
      await changeOperatorRole(app, deed, name, role);
      return `${name} is ${role} now.\n`;
    });
  },
};
