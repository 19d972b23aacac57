/** What opens secrets that are stored, after a change of AUTH_JWT_SECRET or AUTH_JWT_KEYS_ENCRYPTION_KEY. */
import { type StoredSecretSettings, storedSecretsOf } from '../../src/server/sealing/stored-secrets.js';
import { createTextSealer } from '../../src/server/sealing/text-sealer.js';
import { t } from '../support/tap.js';

const of = (jwtSecret: string, more: Partial<StoredSecretSettings> = {}) =>
  createTextSealer(
    storedSecretsOf({ jwtSecret, jwtPreviousSecrets: [], jwtKeysEncryptionKeys: [], ...more }),
    'a test',
  );

t.test('each value that sealed opens, as long as it is listed; the first one seals', async (t) => {
  const sealed = of('the first secret').seal('row', 'text');
  const opens = {
    'an earlier server secret': of('the second secret', { jwtPreviousSecrets: ['another', 'the first secret'] }),
    'the server secret, where a key seals': of('the first secret', { jwtKeysEncryptionKeys: ['a key'] }),
    'an earlier key': of('the second secret', { jwtKeysEncryptionKeys: ['a key', 'the first secret'] }),
  };
  for (const [what, sealer] of Object.entries(opens)) {
    t.equal(sealer.open('row', sealed), 'text', what);
    t.equal(sealer.open('another row', sealed), null, `${what}: of its row`);
    const renewed = sealer.renew('row', sealed);
    t.equal(sealer.open('row', renewed ?? ''), 'text', `${what}: renewed`);
    t.equal(sealer.renew('row', renewed ?? ''), null, `${what}: once`);
    t.equal(of('the first secret').open('row', renewed ?? ''), null, `${what}: by the value that seals now`);
  }
  t.equal(of('the second secret').open('row', sealed), null, 'one that is not listed any more');
});

t.test('the date on which an earlier server secret ends does not take away what is stored', async (t) => {
  const secrets = storedSecretsOf({ jwtSecret: 'new', jwtPreviousSecrets: ['old'], jwtKeysEncryptionKeys: [] });
  t.equal(secrets.jwtPreviousSecretsValidUntil, null);
});
