import { NIL_UUID } from '../../../db/uuid.js';
import { withDatabase } from '../../cli/database.js';
import { type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import type { InvitedOperator } from '../../console/operator-accounts.js';
import type { OperatorDeed } from '../../console/operator-audit.js';
import { ApiError } from '../../errors.js';
import { type OperatorRole, operatorRoles } from '../../http/types.js';
import type { App } from '../../runtime/app.js';
import { openLog } from '../../telemetry/log.js';

type Parts = Pick<App, 'config' | 'db' | 'log'>;

/** Actor in the audit log: whoever runs the command has the database. */
const COMMAND_LINE: OperatorDeed = {
  operator: { id: NIL_UUID, name: 'command_line', role: 'owner' },
  requestId: '',
};

/** Runs work on operators and prints its result, or the API error. */
export async function runOperators(
  args: CommandArguments,
  io: CommandIo,
  name: string,
  work: (app: Parts, deed: OperatorDeed) => Promise<string>,
): Promise<number> {
  try {
    const text = await withDatabase(args, io, async (db, config) => {
      const log = await openLog({ level: 'error', file: '' });
      return work({ config, db, log }, COMMAND_LINE);
    });
    io.out(text);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    io.err(`latchkey operators ${name}: ${error.message}\n`);
    return EXIT.failed;
  }
}

/** @returns null, after a message, when the positional argument is missing */
export function readName({ positionals }: CommandArguments, io: CommandIo, command: string): string | null {
  const [name] = positionals;
  if (name !== undefined) return name;
  io.err(`latchkey operators ${command}: name the operator\n`);
  return null;
}

/** @returns null, after a message, when it is no role */
export function readRole(text: string | undefined, io: CommandIo, command: string): OperatorRole | null {
  const role = operatorRoles.find((one) => one === text);
  if (role !== undefined) return role;
  io.err(`latchkey operators ${command}: a role is one of ${operatorRoles.join(', ')}\n`);
  return null;
}

export const describeLink = ({ operator, link }: InvitedOperator): string => `${operator.name} (${operator.role})

Open this link within 15 minutes, once, to set up the sign-in:

  ${link}
`;
