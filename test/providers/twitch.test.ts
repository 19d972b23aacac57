import { ProviderFault } from '../../src/server/providers/claims.js';
import { provider } from '../../src/server/providers/twitch.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const USERS = 'https://api.twitch.tv/helix/users';
const user = {
  id: 'tw1',
  login: 'twi',
  display_name: 'Twi',
  type: '',
  broadcaster_type: 'partner',
  description: 'hi',
  profile_image_url: 'http://img/t.png',
  offline_image_url: '',
  view_count: 5,
  email: 'tw@example.com',
  created_at: '2013-06-03T19:12:02Z',
};

t.test('twitch: the recorded answer, requested with the client id', async (t) => {
  const { profile, calls } = await readRecorded(provider, { answers: { [USERS]: { data: [user] } } });
  t.strictSame(calls, [{ url: USERS, headers: { 'Client-Id': 'cid' } }]);
  t.strictSame(profile, {
    subject: 'tw1',
    claims: {
      iss: 'https://api.twitch.tv',
      sub: 'tw1',
      name: 'twi',
      full_name: 'twi',
      nickname: 'Twi',
      slug: 'Twi',
      picture: 'http://img/t.png',
      avatar_url: 'http://img/t.png',
      provider_id: 'tw1',
      custom_claims: { broadcaster_type: 'partner', description: 'hi', type: '', offline_image_url: '', view_count: 5 },
    },
    addresses: [{ email: 'tw@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('twitch: a minimal profile', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [USERS]: { data: [{ id: 'tw2', login: 'two' }] } } });
  t.strictSame(profile, {
    subject: 'tw2',
    claims: {
      iss: 'https://api.twitch.tv',
      sub: 'tw2',
      name: 'two',
      full_name: 'two',
      provider_id: 'tw2',
      custom_claims: { broadcaster_type: '', description: '', type: '', offline_image_url: '', view_count: 0 },
    },
    addresses: [],
  });
});

t.test('twitch: an empty or missing list is an error', async (t) => {
  for (const answer of [{ data: [] }, {}, { data: {} }, [], { status: 401, message: 'no' }]) {
    await t.rejects(readRecorded(provider, { answers: { [USERS]: answer } }), ProviderFault);
  }
  await refusesSubjects(t, provider, (id) => ({ answers: { [USERS]: { data: [{ ...user, id }] } } }));
});

t.test('twitch: the default hosts, or the configured one', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://id.twitch.tv/oauth2/authorize',
    token: 'https://id.twitch.tv/oauth2/token',
    api: 'https://api.twitch.tv',
  });
  t.equal(provider.endpoints('http://localhost:1').api, 'http://localhost:1');
});
