import { createCipheriv, hkdfSync } from 'node:crypto';
import { createSecretBox, openMovedSecret, type SecretBoxConfig } from '../../src/server/factors/secret-box.js';
import { t } from '../support/tap.js';

const ID = '6f2f9f4c-3c2c-4e55-9d7f-0c4d6d1a5a01';
const OTHER_ID = '6f2f9f4c-3c2c-4e55-9d7f-0c4d6d1a5a02';
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64url');

const config = (changes: Partial<SecretBoxConfig> = {}): SecretBoxConfig => ({
  jwtSecret: 'a'.repeat(32),
  jwtPreviousSecrets: [],
  jwtPreviousSecretsValidUntil: null,
  securityDbEncryptionEncrypt: false,
  securityDbEncryptionEncryptionKeyId: '',
  securityDbEncryptionEncryptionKey: '',
  securityDbEncryptionDecryptionKeys: {},
  ...changes,
});
const encrypting = (keyId: string, key: string, others: Record<string, string> = {}) =>
  config({
    securityDbEncryptionEncrypt: true,
    securityDbEncryptionEncryptionKeyId: keyId,
    securityDbEncryptionEncryptionKey: key,
    securityDbEncryptionDecryptionKeys: others,
  });

/** As supabase/auth encrypts (internal/crypto/crypto.go), without the code under test. */
function encryptLikePeer(id: string, keyId: string, key: string, text: string): string {
  const derived = Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64url'), '', id, 32));
  const nonce = Buffer.alloc(12, 9);
  const cipher = createCipheriv('aes-256-gcm', derived, nonce);
  const data = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  const parts = { key_id: keyId, alg: 'aes-gcm-hkdf', data: data.toString('base64'), nonce: nonce.toString('base64') };
  return JSON.stringify(parts);
}

t.test('without settings the server secret seals, and the row counts', async (t) => {
  const box = createSecretBox(config());
  const sealed = box.seal(ID, SECRET);
  t.notMatch(sealed, SECRET);
  t.not(sealed, box.seal(ID, SECRET), 'never the same twice');
  t.equal(box.open(ID, sealed), SECRET);
  t.equal(box.open(OTHER_ID, sealed), null, 'not in another row');
  t.equal(createSecretBox(config({ jwtSecret: 'b'.repeat(32) })).open(ID, sealed), null);
  t.equal(box.open(ID, SECRET), null, 'nothing is stored in clear');
});

t.test('with a key of its own the text is that of supabase/auth', async (t) => {
  const box = createSecretBox(encrypting('k1', keyOf(1)));
  const sealed = JSON.parse(box.seal(ID, SECRET));
  t.same(Object.keys(sealed), ['key_id', 'alg', 'data', 'nonce']);
  t.match(sealed, { key_id: 'k1', alg: 'aes-gcm-hkdf' });
  t.equal(Buffer.from(sealed.nonce, 'base64').length, 12);
  t.equal(Buffer.from(sealed.data, 'base64').length, SECRET.length + 16);
  t.equal(box.open(ID, JSON.stringify(sealed)), SECRET);
  t.equal(box.open(ID, encryptLikePeer(ID, 'k1', keyOf(1), SECRET)), SECRET);
  t.equal(box.open(OTHER_ID, JSON.stringify(sealed)), null);
});

t.test('earlier keys open, unknown and damaged ones do not', async (t) => {
  const old = encryptLikePeer(ID, 'k0', keyOf(0), SECRET);
  t.equal(createSecretBox(encrypting('k1', keyOf(1), { k0: keyOf(0) })).open(ID, old), SECRET);
  t.equal(createSecretBox(config({ securityDbEncryptionDecryptionKeys: { k0: keyOf(0) } })).open(ID, old), SECRET);
  t.equal(createSecretBox(encrypting('k1', keyOf(1))).open(ID, old), null);
  const box = createSecretBox(encrypting('k0', keyOf(0)));
  const parts = JSON.parse(old);
  const damaged = [
    { ...parts, alg: 'none' },
    { ...parts, key_id: '__proto__' },
    { ...parts, nonce: 'AA==' },
    { ...parts, data: 'AA==' },
    { ...parts, data: `A${parts.data.slice(1)}` },
    { ...parts, data: 1 },
  ].map((text) => JSON.stringify(text));
  for (const text of [...damaged, '{', '{}', '']) t.equal(box.open(ID, text), null, text);
});

t.test('what an earlier secret or key sealed is sealed anew, once', async (t) => {
  const before = createSecretBox(config({ jwtSecret: 'b'.repeat(32) })).seal(ID, SECRET);
  const peer = encryptLikePeer(ID, 'k0', keyOf(0), SECRET);
  const accepted = { jwtPreviousSecrets: ['b'.repeat(32)], securityDbEncryptionDecryptionKeys: { k0: keyOf(0) } };
  for (const now of [config(accepted), { ...encrypting('k1', keyOf(1), { k0: keyOf(0) }), ...accepted }]) {
    const box = createSecretBox(now);
    for (const sealed of [before, peer]) {
      const renewed = box.renew(ID, sealed);
      t.not(renewed, null);
      t.equal(renewed!.startsWith('{'), now.securityDbEncryptionEncrypt, 'in the form of the settings');
      t.equal(box.open(ID, renewed!), SECRET);
      t.equal(box.renew(ID, renewed!), null, 'nothing to do');
    }
  }
  t.equal(createSecretBox(config()).renew(ID, peer), null, 'no key opens it');
});

t.test('secrets that were moved in: encrypted, or clear base32', async (t) => {
  const box = createSecretBox(encrypting('k1', keyOf(1)));
  t.equal(openMovedSecret(box, ID, SECRET), SECRET);
  t.equal(openMovedSecret(box, ID, encryptLikePeer(ID, 'k1', keyOf(1), SECRET)), SECRET);
  t.equal(openMovedSecret(box, OTHER_ID, encryptLikePeer(ID, 'k1', keyOf(1), SECRET)), null);
  for (const text of ['', '{}', 'not base32!']) t.equal(openMovedSecret(box, ID, text), null, text);
});
