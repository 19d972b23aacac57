import { readKidArgument, withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { retireKey } from '../../keys/rotation.js';

export const retireKeyCommand: Command = {
  summary: 'Stop accepting a key that no longer signs',
  help: `Retires KID and deletes its private part. While its tokens may live this needs --force: their bearers then have to
refresh, which clients do by themselves.`,
  options: {
    force: { type: 'boolean', doc: 'also while its tokens may live' },
  },
  positionals: ['KID'],
  run: async (args, io) => {
    const kid = readKidArgument(args, io, 'retire');
    if (kid === undefined) return EXIT.wrongUsage;
    return withKeyStore(args, io, async (store) => {
      await retireKey(store, kid, args.values['force'] === true);
      io.out(`${kid} is retired.\n`);
      return EXIT.ok;
    });
  },
};
