import { MODEL_NAMES } from '../../src/server/passkeys/model-names.js';
import { nameOfModel } from '../../src/server/passkeys/names.js';
import { t } from '../support/tap.js';

t.test('authenticators have their names, which are those of a passkey', async (t) => {
  const aaguids = MODEL_NAMES.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?==)/g)!;
  t.equal(aaguids.length, 309);
  t.equal(new Set(aaguids).size, 309);
  for (const aaguid of aaguids) {
    const name = nameOfModel(aaguid);
    t.ok(name.trim() === name && Buffer.byteLength(name) <= 120 && !/[|=\n]/.test(name), name);
  }
  t.equal(nameOfModel('ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'), 'Google Password Manager');
  t.equal(nameOfModel('d548826e-79b4-db40-a3d8-11116f7e8349'), 'Bitwarden');
  t.equal(nameOfModel(aaguids[0]!), 'HYPR FIDO2 Authenticator');
  t.equal(nameOfModel('00000000-0000-0000-0000-000000000000'), 'Passkey');
  t.equal(nameOfModel('constructor'), 'Passkey');
});
