import { provider } from '../../src/server/providers/bitbucket.js';
import { ProviderFault } from '../../src/server/providers/claims.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const USER = 'https://api.bitbucket.org/2.0/user';
const EMAILS = 'https://api.bitbucket.org/2.0/user/emails';
const user = { uuid: '{bb-1}', display_name: 'Bit B', avatar: { href: 'http://img/bb.png' } };
const emails = { values: [{ email: 'bb@example.com', is_primary: true, is_confirmed: true }] };

t.test('bitbucket: the URLs', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://bitbucket.org/site/oauth2/authorize',
    token: 'https://bitbucket.org/site/oauth2/access_token',
    api: 'https://api.bitbucket.org',
  });
  t.equal(provider.endpoints('http://localhost:1/b').api, 'http://localhost:1/b');
});

t.test('bitbucket: the recorded answers', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [USER]: user, [EMAILS]: emails } });
  t.strictSame(profile, {
    subject: '{bb-1}',
    claims: {
      iss: 'https://api.bitbucket.org/2.0',
      sub: '{bb-1}',
      name: 'Bit B',
      full_name: 'Bit B',
      picture: 'http://img/bb.png',
      avatar_url: 'http://img/bb.png',
      provider_id: '{bb-1}',
    },
    addresses: [{ email: 'bb@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('bitbucket: every address with its own flags, and an avatar below links as there is today', async (t) => {
  const values = [
    { email: 'one@example.com', is_primary: false, is_confirmed: false },
    { email: '', is_primary: true, is_confirmed: true },
    { email: 'two@example.com', is_primary: 'false', is_confirmed: 1 },
    { type: 'email' },
    { email: 'three@example.com', is_primary: true, is_confirmed: true },
  ];
  const answers = { [USER]: { uuid: '{bb-2}', links: { avatar: { href: 'x' } } }, [EMAILS]: { values } };
  const { profile } = await readRecorded(provider, { answers });
  t.strictSame(profile, {
    subject: '{bb-2}',
    claims: { iss: 'https://api.bitbucket.org/2.0', sub: '{bb-2}', provider_id: '{bb-2}' },
    addresses: [
      { email: 'one@example.com', isVerified: false, isPrimary: false },
      { email: 'two@example.com', isVerified: false, isPrimary: false },
      { email: 'three@example.com', isVerified: true, isPrimary: true },
    ],
  });
});

t.test('bitbucket: invalid profiles', async (t) => {
  await refusesSubjects(t, provider, (uuid) => ({ answers: { [USER]: { ...user, uuid }, [EMAILS]: emails } }));
  for (const list of [[], {}, { values: {} }, { error: 'no' }]) {
    await t.rejects(readRecorded(provider, { answers: { [USER]: user, [EMAILS]: list } }), ProviderFault);
  }
});
