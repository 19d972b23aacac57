import bcrypt from 'bcryptjs';
import { openTestPool } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';

/** What "0123…6789", 72 bytes, hashes to: Openwall crypt_blowfish 1.3, wrapper.c. */
const bcryptOf72Bytes = '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui';
const password72Bytes = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

t.test('SEC-46 passwords are used byte for byte of their NFKC', async (t) => {
  const pool = await openTestPool(t);
  const password = ' Pässwörd ';
  const hash = await pool.hashPassword(password);
  for (const same of [password, password.normalize('NFD')]) t.ok((await pool.verifyPassword(same, hash)).matches);
  for (const other of [password.trim(), password.toLowerCase(), 'Password', `${password} `]) {
    t.notOk((await pool.verifyPassword(other, hash)).matches, JSON.stringify(other));
  }
});

t.test('SEC-46 new hashes use every byte up to 1,024', async (t) => {
  const pool = await openTestPool(t);
  for (const length of [73, 1024]) {
    const start = 'x'.repeat(length - 1);
    const hash = await pool.hashPassword(`${start}a`);
    t.ok((await pool.verifyPassword(`${start}a`, hash)).matches, `${length} bytes`);
    t.notOk((await pool.verifyPassword(`${start}b`, hash)).matches, `${length} bytes, another last one`);
  }
});

t.test('SEC-46 a password of over 72 bytes never matches a bcrypt hash', async (t) => {
  const pool = await openTestPool(t);
  t.ok((await pool.verifyPassword(password72Bytes, bcryptOf72Bytes)).matches, 'all 72 bytes');
  for (const tail of ['x', 'chars after 72 are ignored', '\0']) {
    const check = await pool.verifyPassword(password72Bytes + tail, bcryptOf72Bytes);
    t.same(check, { matches: false, renewedHash: null });
  }
  // Bytes count: 72 of them in 36 characters.
  const wide = 'ä'.repeat(36);
  const hash = bcrypt.hashSync(wide, 4);
  t.ok((await pool.verifyPassword(wide, hash)).matches);
  t.ok(bcrypt.compareSync(`${wide}ä`, hash), 'which bcrypt itself would take');
  t.notOk((await pool.verifyPassword(`${wide}ä`, hash)).matches);
});
