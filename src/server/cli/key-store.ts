import type { Config } from '../config/settings.js';
import { KeyChangeError } from '../keys/rotation.js';
import { type KeyStore, openKeyStore } from '../keys/stored-keys.js';
import { withDatabase } from './database.js';
import { type CommandArguments, type CommandIo, EXIT } from './types.js';

/**
 * Runs work on the keys in the database. A change that their state does not permit is reported, with exit code 1.
 * @param work returns the exit code
 */
export async function withKeyStore(
  args: CommandArguments,
  io: CommandIo,
  work: (store: KeyStore, config: Config) => Promise<number>,
): Promise<number> {
  return withDatabase(args, io, async (db, config) => {
    if (config.jwtKeysSource !== 'database') {
      io.err('Note: AUTH_JWT_KEYS_SOURCE is not database, so the server does not read these keys.\n');
    }
    try {
      return await work(openKeyStore(db, config), config);
    } catch (error) {
      if (!(error instanceof KeyChangeError)) throw error;
      io.err(`Nothing has changed: ${error.message}.\n`);
      return EXIT.failed;
    }
  });
}

/** @returns undefined, after a message, when no kid was given */
export function readKidArgument(
  { positionals: [kid] }: CommandArguments,
  io: CommandIo,
  name: string,
): string | undefined {
  if (kid === undefined) io.err(`latchkey keys ${name}: which key? latchkey keys list shows their kids.\n`);
  return kid;
}
