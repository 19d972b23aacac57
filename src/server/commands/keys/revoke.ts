import { readKidArgument, withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { generateTokenKey } from '../../keys/generate.js';
import { revokeKey } from '../../keys/rotation.js';

export const revokeKeyCommand: Command = {
  summary: 'Stop accepting a key at once, for example after a leak',
  help: `Retires KID, whatever its state, and deletes its private part. All servers refuse its tokens within 5 s; clients refresh
theirs, so users stay signed in. If KID signs, the standby key takes its place, or a new one with ES256.`,
  options: {},
  positionals: ['KID'],
  run: async (args, io) => {
    const kid = readKidArgument(args, io, 'revoke');
    if (kid === undefined) return EXIT.wrongUsage;
    return withKeyStore(args, io, async (store) => {
      const signing = await revokeKey(store, kid, generateTokenKey('ES256', null));
      io.out(`${kid} is refused from now on; ${signing} signs.\n`);
      return EXIT.ok;
    });
  },
};
