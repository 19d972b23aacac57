import { type Command, EXIT } from '../../cli/types.js';
import { createOperator } from '../../console/operator-accounts.js';
import { describeLink, readName, readRole, runOperators } from './run-operators.js';

export const createOperatorCommand: Command = {
  summary: 'Create an operator of the console',
  help: `Prints a link that works once within 15 minutes. It sets up a passkey, or a password with an authenticator app.

Roles: viewer sees everything but operators; support may also change accounts; admin may also delete and export them,
and change keys and connections; owner may also change operators.`,
  options: { role: { type: 'string', argument: 'ROLE', doc: 'viewer, support, admin or owner (default viewer)' } },
  positionals: ['NAME'],
  async run(args, io) {
    const name = readName(args, io, 'create');
    const role = readRole(String(args.values['role'] ?? 'viewer'), io, 'create');
    if (name === null || role === null) return EXIT.wrongUsage;
    return runOperators(args, io, 'create', async (app, deed) =>
      describeLink(await createOperator(app, deed, { name, role })),
    );
  },
};
