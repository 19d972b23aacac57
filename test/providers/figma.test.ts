import { provider } from '../../src/server/providers/figma.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ME = 'https://api.figma.com/v1/me';
const user = { id: 'fg1', email: 'fg@example.com', handle: 'Fig M', img_url: 'http://img/fg.png' };

t.test('figma: the recorded answer', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [ME]: user } });
  t.strictSame(profile, {
    subject: 'fg1',
    claims: {
      iss: 'https://api.figma.com',
      sub: 'fg1',
      name: 'Fig M',
      full_name: 'Fig M',
      avatar_url: 'http://img/fg.png',
      provider_id: 'fg1',
    },
    addresses: [{ email: 'fg@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('figma: a minimal profile, and one without an id', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [ME]: { id: 'fg2' } } });
  t.strictSame(profile, {
    subject: 'fg2',
    claims: { iss: 'https://api.figma.com', sub: 'fg2', provider_id: 'fg2' },
    addresses: [],
  });
  await refusesSubjects(t, provider, (id) => ({ answers: { [ME]: { ...user, id } } }));
});

t.test('figma: the scope that new apps are given', async (t) => {
  t.strictSame(provider.scopes, ['current_user:read']);
});

t.test('figma: the default hosts, or the configured one', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://www.figma.com/oauth',
    token: 'https://api.figma.com/v1/oauth/token',
    api: 'https://api.figma.com',
  });
  t.strictSame(provider.endpoints('http://localhost:1'), {
    authorization: 'http://localhost:1/oauth',
    token: 'http://localhost:1/v1/oauth/token',
    api: 'http://localhost:1',
  });
});
