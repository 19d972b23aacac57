import { ProviderFault } from '../../src/server/providers/claims.js';
import { provider } from '../../src/server/providers/slack.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const USER_INFO = 'https://slack.com/api/openid.connect.userInfo';
const user = {
  ok: true,
  'https://slack.com/user_id': 'U1',
  'https://slack.com/team_id': 'T1',
  email: 'sl@example.com',
  email_verified: true,
  name: 'Sla C',
  picture: 'http://img/sl.png',
};
const read = async (answer: object) => (await readRecorded(provider, { answers: { [USER_INFO]: answer } })).profile;

t.test('slack: the recorded answer', async (t) => {
  const expected = {
    subject: 'U1',
    claims: {
      iss: 'https://slack.com/api',
      sub: 'U1',
      name: 'Sla C',
      full_name: 'Sla C',
      picture: 'http://img/sl.png',
      avatar_url: 'http://img/sl.png',
      provider_id: 'U1',
      custom_claims: { 'https://slack.com/team_id': 'T1' },
    },
    addresses: [{ email: 'sl@example.com', isVerified: true, isPrimary: true }],
  };
  t.strictSame(await read(user), expected);
  t.strictSame(await read({ ...user, email_verified: false }), expected, 'email_verified is not looked at');
});

t.test('slack: an error has status 200', async (t) => {
  await t.rejects(read({ ok: false, error: 'invalid_auth' }), ProviderFault);
  await t.rejects(read({ ...user, ok: false }), ProviderFault);
});

t.test('slack: a minimal profile, and one without an id', async (t) => {
  t.strictSame(await read({ ok: true, 'https://slack.com/user_id': 'U2' }), {
    subject: 'U2',
    claims: {
      iss: 'https://slack.com/api',
      sub: 'U2',
      provider_id: 'U2',
      custom_claims: { 'https://slack.com/team_id': '' },
    },
    addresses: [],
  });
  const recordingOf = (id: unknown) => ({ answers: { [USER_INFO]: { ...user, 'https://slack.com/user_id': id } } });
  await refusesSubjects(t, provider, recordingOf);
});
