import { setTimeout as pause } from 'node:timers/promises';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** Long enough that the answer leaves in a later second than the question. */
const HOOK_MS = 1100;

t.test('expires_at is the exp of the token, however long the hook takes', async (t) => {
  const receiver = await openHookReceiver(t, async ({ body }) => {
    await pause(HOOK_MS);
    return { claims: body.claims };
  });
  const server = await openTestServer(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url));
  const { body: made } = await server.post('/signup', { email: freshEmail(), password });
  const { refresh_token } = made;
  const { body: refreshed } = await server.post('/token?grant_type=refresh_token', { refresh_token });
  for (const [name, { access_token, expires_at, expires_in }] of [
    ['sign-up', made],
    ['refresh', refreshed],
  ]) {
    const { exp, iat } = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString());
    t.equal(expires_at, exp, name);
    t.equal(expires_in, exp - iat, name);
  }
});
