import { ProviderFault } from '../../src/server/providers/claims.js';
import { provider } from '../../src/server/providers/slack-oidc.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const USER_INFO = 'https://slack.com/api/openid.connect.userInfo';
const user = {
  ok: true,
  sub: 'U0R7JM',
  'https://slack.com/user_id': 'U0R7JM',
  'https://slack.com/team_id': 'T0R7GR',
  email: 'krane@slack-corp.com',
  email_verified: true,
  name: 'krane',
  picture: 'https://secure.gravatar.com/avatar/1.jpg',
};
const read = async (answer: object) => (await readRecorded(provider, { answers: { [USER_INFO]: answer } })).profile;

t.test('slack_oidc: the recorded answer', async (t) => {
  t.strictSame(await read(user), {
    subject: 'U0R7JM',
    claims: {
      iss: 'https://slack.com/api',
      sub: 'U0R7JM',
      name: 'krane',
      full_name: 'krane',
      picture: 'https://secure.gravatar.com/avatar/1.jpg',
      avatar_url: 'https://secure.gravatar.com/avatar/1.jpg',
      provider_id: 'U0R7JM',
      custom_claims: { 'https://slack.com/team_id': 'T0R7GR' },
    },
    addresses: [{ email: 'krane@slack-corp.com', isVerified: true, isPrimary: true }],
  });
});

t.test('slack_oidc: email_verified decides', async (t) => {
  for (const [given, isVerified] of [
    ['true', true],
    [false, false],
    [undefined, false],
  ] as const) {
    t.match(await read({ ...user, email_verified: given }), { addresses: [{ isVerified }] }, String(given));
  }
});

t.test('slack_oidc: an error has status 200, and a profile needs an id', async (t) => {
  await t.rejects(read({ ok: false, error: 'invalid_auth' }), ProviderFault);
  const recordingOf = (id: unknown) => ({ answers: { [USER_INFO]: { ...user, 'https://slack.com/user_id': id } } });
  await refusesSubjects(t, provider, recordingOf);
});

t.test('slack_oidc: the default host, or the configured one', async (t) => {
  for (const [url, base] of [
    [null, 'https://slack.com'],
    ['http://localhost:1', 'http://localhost:1'],
  ] as const) {
    t.strictSame(provider.endpoints(url), {
      authorization: `${base}/openid/connect/authorize`,
      token: `${base}/api/openid.connect.token`,
      api: `${base}/api`,
    });
  }
  t.strictSame(provider.scopes, ['profile', 'email', 'openid']);
});
