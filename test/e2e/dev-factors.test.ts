/** `npm start` has second factors and passkeys on, for pages of this machine. */

import { Authenticator } from '../support/authenticator.js';
import { startDev } from '../support/dev-server.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a passkey and factors of every kind, without settings', async (t) => {
  const { url } = await startDev(t);
  const call = async (path: string, body: object, bearer?: string) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
    return { status: response.status, body: (await response.json()) as any };
  };
  const { access_token: bearer } = (await call('/signup', { email: freshEmail(), password })).body;
  for (const origin of ['http://localhost:3000', url]) {
    const begun = await call('/passkeys/registration/options', {}, bearer);
    t.match(begun, { status: 200, body: { options: { rp: { id: 'localhost' } } } });
    const authenticator = new Authenticator({ origin });
    const { challenge_id, options } = begun.body;
    const answer = { challenge_id, credential: authenticator.create(options) };
    t.equal((await call('/passkeys/registration/verify', answer, bearer)).status, 200, origin);
    const asked = (await call('/passkeys/authentication/options', {})).body;
    const credential = authenticator.get(asked.options);
    const signedIn = await call('/passkeys/authentication/verify', { challenge_id: asked.challenge_id, credential });
    t.equal(signedIn.status, 200);
  }
  for (const factor_type of ['totp', 'webauthn', 'phone']) {
    const body = { factor_type, friendly_name: factor_type, phone: '+15555550100' };
    const enrolled = await call('/factors', body, bearer);
    t.equal(enrolled.status, 200, factor_type);
    t.equal((await call(`/factors/${enrolled.body.id}/challenge`, {}, bearer)).status, 200);
  }
});
