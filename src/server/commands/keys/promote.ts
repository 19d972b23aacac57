import { readKidArgument, withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { promoteKey } from '../../keys/rotation.js';

export const promoteKeyCommand: Command = {
  summary: 'Make a standby or previous key sign at once',
  help: `Makes KID sign from now on; the key that signed until now goes on verifying until its tokens have expired. Verifiers
that have not fetched KID yet refuse its first tokens: latchkey keys rotate waits for them.`,
  options: {},
  positionals: ['KID'],
  run: async (args, io) => {
    const kid = readKidArgument(args, io, 'promote');
    if (kid === undefined) return EXIT.wrongUsage;
    return withKeyStore(args, io, async (store) => {
      await promoteKey(store, kid);
      io.out(`${kid} signs now.\n`);
      return EXIT.ok;
    });
  },
};
