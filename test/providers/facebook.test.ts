import { createHmac } from 'node:crypto';
import { MissingSubject } from '../../src/server/providers/claims.js';
import { provider } from '../../src/server/providers/facebook.js';
import { badSubjects, readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ME = 'https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture';
const proof = createHmac('sha256', 'the-secret').update('tok1').digest('hex');
const ASKED = `${ME}&appsecret_proof=${proof}`;
const user = {
  id: 'fb1',
  name: 'Fay B',
  first_name: 'Fay',
  last_name: 'B',
  email: 'fb@example.com',
  picture: { data: { url: 'http://img/fb.png' } },
};

t.test('facebook: the recorded answer, requested with the proof', async (t) => {
  const { profile, calls } = await readRecorded(provider, { answers: { [ASKED]: user } });
  t.strictSame(calls, [{ url: ASKED, headers: {} }]);
  t.strictSame(profile, {
    subject: 'fb1',
    claims: {
      iss: ME,
      sub: 'fb1',
      name: 'Fay B',
      full_name: 'Fay B',
      nickname: 'Fay B',
      slug: 'Fay B',
      picture: 'http://img/fb.png',
      avatar_url: 'http://img/fb.png',
      provider_id: 'fb1',
    },
    addresses: [{ email: 'fb@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('facebook: a single name is trimmed, and an address is optional', async (t) => {
  const sparse = { id: 'fb2', name: 'Fay the B', last_name: 'B' };
  const { profile } = await readRecorded(provider, { answers: { [ASKED]: sparse } });
  t.strictSame(profile, {
    subject: 'fb2',
    claims: {
      iss: ME,
      sub: 'fb2',
      name: 'B',
      full_name: 'B',
      nickname: 'Fay the B',
      slug: 'Fay the B',
      provider_id: 'fb2',
    },
    addresses: [],
  });
});

t.test('facebook: a profile without an id is refused', async (t) => {
  await refusesSubjects(t, provider, (id) => ({ answers: { [ASKED]: { ...user, id } } }));
});

t.test('facebook: the default hosts, or the configured one', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://www.facebook.com/dialog/oauth',
    token: 'https://graph.facebook.com/oauth/access_token',
    api: 'https://graph.facebook.com',
  });
  t.strictSame(provider.endpoints('http://localhost:1'), {
    authorization: 'http://localhost:1/dialog/oauth',
    token: 'http://localhost:1/oauth/access_token',
    api: 'http://localhost:1',
  });
});

t.test('facebook: ID tokens', async (t) => {
  const { idTokens } = provider;
  t.equal(idTokens?.issuer(null), 'https://www.facebook.com');
  t.equal(idTokens?.checksNonce, false);
  const read = (claims: Record<string, unknown>) => idTokens!.readClaims(claims, 'https://www.facebook.com', null);
  const claims = { iss: 'https://www.facebook.com', sub: 'fb1', name: 'Fay B', picture: 'http://img/fb.png', jti: 'x' };
  t.strictSame(read({ ...claims, email: 'fb@example.com' }), {
    subject: 'fb1',
    claims: {
      iss: 'https://www.facebook.com',
      sub: 'fb1',
      name: 'Fay B',
      full_name: 'Fay B',
      picture: 'http://img/fb.png',
      avatar_url: 'http://img/fb.png',
      provider_id: 'fb1',
    },
    addresses: [{ email: 'fb@example.com', isVerified: true, isPrimary: true }],
  });
  t.strictSame(read(claims).addresses, []);
  for (const sub of badSubjects) t.throws(() => read({ ...claims, sub }), MissingSubject);
});
