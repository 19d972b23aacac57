import { provider } from '../../src/server/providers/fly.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const INFO = 'https://api.fly.io/oauth/token/info';
const user = {
  resource_owner_id: 'r1',
  scope: ['read'],
  expires_in: 7200,
  application: { uid: 'a1' },
  created_at: 1696003692,
  user_id: 'u1',
  user_name: 'Fl Y',
  email: 'f@example.com',
  organizations: [{ id: 'o1', role: 'member' }],
};
const read = async (answer: object) => (await readRecorded(provider, { answers: { [INFO]: answer } })).profile;

t.test('fly: the recorded answer', async (t) => {
  t.strictSame(await read(user), {
    subject: 'u1',
    claims: {
      iss: 'https://api.fly.io',
      sub: 'u1',
      full_name: 'Fl Y',
      provider_id: 'u1',
      custom_claims: {
        resource_owner_id: 'r1',
        organizations: [{ id: 'o1', role: 'member' }],
        application: { uid: 'a1' },
        scope: ['read'],
        created_at: 1696003692,
      },
    },
    addresses: [{ email: 'f@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('fly: a minimal profile, and one without an id', async (t) => {
  t.strictSame(await read({ user_id: 'u2' }), {
    subject: 'u2',
    claims: { iss: 'https://api.fly.io', sub: 'u2', provider_id: 'u2', custom_claims: {} },
    addresses: [],
  });
  await refusesSubjects(t, provider, (id) => ({ answers: { [INFO]: { ...user, user_id: id } } }));
});

t.test('fly: the default host, or the configured one', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://api.fly.io/oauth/authorize',
    token: 'https://api.fly.io/oauth/token',
    api: 'https://api.fly.io',
  });
  t.equal(provider.endpoints('http://localhost:1').token, 'http://localhost:1/oauth/token');
  t.strictSame(provider.scopes, ['read']);
});
