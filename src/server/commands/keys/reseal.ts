import { listSigningKeys, resealSigningKey } from '../../../db/signing-keys.js';
import { withKeyStore } from '../../cli/key-store.js';
import { type Command, EXIT } from '../../cli/types.js';
import { openTokenKey, SealedKeyError } from '../../keys/stored-keys.js';

export const resealKeys: Command = {
  summary: 'Seal the private keys with the first value of AUTH_JWT_KEYS_ENCRYPTION_KEY',
  help: `Seals every private key in the database again. To change the sealing key, put the new value first into
AUTH_JWT_KEYS_ENCRYPTION_KEY and leave the old one behind it, restart all servers, run this, then remove the old one. Without
that setting AUTH_JWT_SECRET seals.`,
  options: {},
  run: (args, io) =>
    withKeyStore(args, io, async (store) => {
      let resealed = 0;
      for (const row of await listSigningKeys(store.db)) {
        if (row.sealed === null) continue;
        const key = openTokenKey(store, row);
        if (key === null) throw new SealedKeyError(row.kid);
        const sealed = store.sealer.seal(row.kid, JSON.stringify(key.jwk));
        if (await resealSigningKey(store.db, row.kid, sealed, row.sealed)) resealed += 1;
      }
      io.out(`${resealed} keys are sealed with the present value.\n`);
      return EXIT.ok;
    }),
};
