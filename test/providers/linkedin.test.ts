import { provider } from '../../src/server/providers/linkedin.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const HOST = 'https://api.linkedin.com';
const ME = `${HOST}/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))`;
const EMAIL = `${HOST}/v2/emailAddress?q=members&projection=(elements*(handle~))`;
const inEnglish = (text: string) => ({
  localized: { en_US: text, de_DE: 'anders' },
  preferredLocale: { country: 'US', language: 'en' },
});
const user = {
  id: 'li1',
  firstName: inEnglish('Lin'),
  lastName: inEnglish('K'),
  profilePicture: { 'displayImage~': { elements: [{ identifiers: [{ identifier: 'http://img/li.png' }] }] } },
};
const emails = { elements: [{ handle: 'urn:li:emailAddress:1', 'handle~': { emailAddress: 'li@example.com' } }] };

t.test('linkedin: the recorded answers', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [ME]: user, [EMAIL]: emails } });
  t.strictSame(profile, {
    subject: 'li1',
    claims: {
      iss: HOST,
      sub: 'li1',
      name: 'Lin K',
      full_name: 'Lin K',
      picture: 'http://img/li.png',
      avatar_url: 'http://img/li.png',
      provider_id: 'li1',
    },
    addresses: [{ email: 'li@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('linkedin: empty lists, and a language that the name is not written in', async (t) => {
  const sparse = {
    id: 'li2',
    firstName: { ...inEnglish('Lin'), preferredLocale: { country: 'FR', language: 'fr' } },
    lastName: inEnglish('K'),
    profilePicture: { 'displayImage~': { elements: [] } },
  };
  for (const none of [{ elements: [] }, {}, { elements: [{ handle: 'x' }] }]) {
    const { profile } = await readRecorded(provider, { answers: { [ME]: sparse, [EMAIL]: none } });
    t.strictSame(profile, {
      subject: 'li2',
      claims: { iss: HOST, sub: 'li2', name: 'K', full_name: 'K', provider_id: 'li2' },
      addresses: [],
    });
  }
});

t.test('linkedin: a profile without an id is refused', async (t) => {
  await refusesSubjects(t, provider, (id) => ({ answers: { [ME]: { ...user, id }, [EMAIL]: emails } }));
});
