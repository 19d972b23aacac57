import { withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { importKeys } from '../../keys/rotation.js';

export const importKeysCommand: Command = {
  summary: 'Copy AUTH_JWT_KEYS into the database',
  help: `Copies the keys of AUTH_JWT_KEYS, private parts sealed: the one that signs becomes active, the others previous. Then set
AUTH_JWT_KEYS_SOURCE=database, restart, and remove AUTH_JWT_KEYS. Keys that are there already stay as they are, so it may be
repeated.`,
  options: {},
  run: (args, io) =>
    withKeyStore(args, io, async (store, config) => {
      if (config.jwtKeys.length === 0) {
        io.err('AUTH_JWT_KEYS has no key. latchkey keys rotate makes one in the database.\n');
        return EXIT.wrongUsage;
      }
      const added = await importKeys(store, config.jwtKeys);
      io.out(added.map((kid) => `imported ${kid}\n`).join('') || 'All keys are there already.\n');
      return EXIT.ok;
    }),
};
