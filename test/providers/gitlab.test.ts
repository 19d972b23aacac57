import { ProviderFault } from '../../src/server/providers/claims.js';
import { provider } from '../../src/server/providers/gitlab.js';
import { badNumbers, readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const USER = 'https://gitlab.com/api/v4/user';
const EMAILS = 'https://gitlab.com/api/v4/user/emails';
const user = {
  id: 9,
  name: 'Git L',
  email: 'gl@example.com',
  avatar_url: 'http://img/gl.png',
  confirmed_at: '2012-05-23T09:05:22Z',
};
const emails = [{ id: 1, email: 'second@example.com' }];

t.test('gitlab: the recorded answers, the main address last', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [USER]: user, [EMAILS]: emails } });
  t.strictSame(profile, {
    subject: '9',
    claims: {
      iss: 'https://gitlab.com',
      sub: '9',
      name: 'Git L',
      full_name: 'Git L',
      picture: 'http://img/gl.png',
      avatar_url: 'http://img/gl.png',
      provider_id: '9',
    },
    addresses: [
      { email: 'second@example.com', isVerified: false, isPrimary: false },
      { email: 'gl@example.com', isVerified: true, isPrimary: true },
    ],
  });
});

t.test('gitlab: a self-hosted instance, an unconfirmed address', async (t) => {
  const url = 'https://git.example.com/gitlab';
  for (const confirmed_at of ['', null, undefined, true]) {
    const answers = { [`${url}/api/v4/user`]: { ...user, confirmed_at }, [`${url}/api/v4/user/emails`]: [{}] };
    const { profile } = await readRecorded(provider, { url, answers });
    t.equal(profile.claims['iss'], url);
    t.strictSame(profile.addresses, [{ email: 'gl@example.com', isVerified: false, isPrimary: true }]);
  }
});

t.test('gitlab: invalid profiles', async (t) => {
  const recordingOf = (id: unknown) => ({ answers: { [USER]: { ...user, id }, [EMAILS]: emails } });
  await refusesSubjects(t, provider, recordingOf, badNumbers);
  await t.rejects(readRecorded(provider, { answers: { [USER]: user, [EMAILS]: { error: 'x' } } }), ProviderFault);
});
