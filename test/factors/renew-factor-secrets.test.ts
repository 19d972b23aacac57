/** After a change of the secret or key, secrets of authenticator apps are sealed with the new one. */

import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const NEW_SECRET = 'another secret of the server, 32 bytes';
const KEY = Buffer.alloc(32, 7).toString('base64url');

t.test('secrets of authenticator apps follow the secret of the server, and a key of their own', async (t) => {
  const first = await openTestServer(t);
  const email = freshEmail();
  const session = (await first.post('/signup', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(first, session);
  const app = openApp(secret);
  t.equal((await verifyWith(first, session, id, app.nextCode())).status, 200);
  const read = async () =>
    (await first.database.admin.query('select secret, updated_at::text from mfa_factors where id = $1', [id])).rows[0];
  const open = (settings: Record<string, string>) =>
    openTestServer(t, { DB_DATABASE_URL: first.database.url, ...settings });
  const isRenewed = async (settings: Record<string, string>) => {
    const before = await read();
    await open(settings);
    await until(async () => (await read()).secret !== before.secret);
    t.equal((await read()).updated_at, before.updated_at, 'the factor itself has not changed');
  };

  await isRenewed({ JWT_SECRET: NEW_SECRET, JWT_PREVIOUS_SECRETS: JWT_SECRET });
  const server = await open({ JWT_SECRET: NEW_SECRET });
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  t.equal((await verifyWith(server, await signIn(), id, app.nextCode())).status, 200, 'with the new secret alone');

  const encryption = {
    SECURITY_DB_ENCRYPTION_ENCRYPT: 'true',
    SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: 'k1',
    SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: KEY,
  };
  await isRenewed({ JWT_SECRET: NEW_SECRET, ...encryption });
  t.match(JSON.parse((await read()).secret), { key_id: 'k1', alg: 'aes-gcm-hkdf' });
  await isRenewed({ JWT_SECRET: NEW_SECRET, SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: `k1:${KEY}` });
  t.equal((await verifyWith(server, await signIn(), id, app.nextCode())).status, 200, 'back under the secret');
});
