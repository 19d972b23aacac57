import { findUserById, findUsersByContact } from '../../../db/admin-users.js';
import type { Database } from '../../../db/types.js';
import type { UserRow } from '../../../db/user-rows.js';
import { readUuid } from '../../../db/uuid.js';
import { normaliseEmail } from '../../accounts/addresses.js';
import { resetFactors } from '../../admin/reset-factors.js';
import { withDatabase } from '../../cli/database.js';
import { type Command, type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import type { Config } from '../../config/settings.js';
import { ApiError } from '../../errors.js';
import { openLog } from '../../telemetry/log.js';

/** Actor name in the audit log. */
const OPERATOR = { role: 'command_line', subject: null };

export const resetMfa: Command = {
  summary: 'Remove the second factors of an account',
  help: `Removes all second factors, recovery codes and trusted devices of the account, like POST /admin/users/{id}/factors/reset,
ends its sessions, and prints what was removed as JSON. Make sure that you talk to the owner of the account: from then on
the password alone is enough. No mail is sent.`,
  options: {
    passkeys: { type: 'boolean', doc: 'remove the passkeys, too' },
    'keep-sessions': { type: 'boolean', doc: 'sessions go on, at AAL1' },
  },
  positionals: ['ID_OR_EMAIL'],
  run: async (args, io) => {
    const [wanted] = args.positionals;
    if (wanted === undefined) {
      io.err('latchkey users reset-mfa: name the account by its id or its email\n');
      return EXIT.wrongUsage;
    }
    return reset(args, io, wanted);
  },
};

async function reset(args: CommandArguments, io: CommandIo, wanted: string): Promise<number> {
  try {
    const result = await withDatabase(args, io, async (db, config) => {
      const user = await findUser(db, config, wanted);
      if (user === undefined) return undefined;
      const log = await openLog({ level: 'error', file: '' });
      const endsSessions = args.values['keep-sessions'] !== true;
      const removesPasskeys = args.values['passkeys'] === true;
      return resetFactors({ config, db, log }, '', OPERATOR, user, { endsSessions, removesPasskeys });
    });
    if (result === undefined) {
      io.err('latchkey users reset-mfa: there is no such account\n');
      return EXIT.failed;
    }
    io.out(`${JSON.stringify(result, null, 2)}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    io.err(`latchkey users reset-mfa: ${error.message}\n`);
    return EXIT.failed;
  }
}

/** By email: of AUTH_JWT_AUD, and only by the address of the account, which its identities may not share. */
async function findUser(db: Database, config: Config, wanted: string): Promise<UserRow | undefined> {
  const id = readUuid(wanted);
  if (id !== null) return findUserById(db, id);
  const email = normaliseEmail(wanted);
  const found = await findUsersByContact(db, config.jwtAudience, { id: null, email, phone: null });
  return found.find((user) => user.email === email && !user.is_sso_user);
}
