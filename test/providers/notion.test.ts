import { provider } from '../../src/server/providers/notion.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ME = 'https://api.notion.com/v1/users/me';
const user = { id: 'no1', name: 'No T', avatar_url: 'http://img/no.png', person: { email: 'no@example.com' } };
const botOf = (owner: object) => ({ bot: { owner: { user: owner } } });

t.test('notion: the recorded answer, requested with the version header', async (t) => {
  const { profile, calls } = await readRecorded(provider, { answers: { [ME]: botOf(user) } });
  t.strictSame(calls, [{ url: ME, headers: { 'Notion-Version': '2021-08-16' } }]);
  t.strictSame(profile, {
    subject: 'no1',
    claims: {
      iss: 'https://api.notion.com',
      sub: 'no1',
      name: 'No T',
      full_name: 'No T',
      picture: 'http://img/no.png',
      avatar_url: 'http://img/no.png',
      provider_id: 'no1',
    },
    addresses: [{ email: 'no@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('notion: without an address; the id of the bot is not a user id', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [ME]: botOf({ id: 'no2', person: {} }) } });
  t.strictSame(profile, {
    subject: 'no2',
    claims: { iss: 'https://api.notion.com', sub: 'no2', provider_id: 'no2' },
    addresses: [],
  });
  await refusesSubjects(t, provider, (id) => ({ answers: { [ME]: { id: 'bot', ...botOf({ ...user, id }) } } }));
  await refusesSubjects(t, provider, (owner) => ({ answers: { [ME]: { id: 'bot', bot: { owner } } } }));
});
