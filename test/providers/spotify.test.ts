import { provider } from '../../src/server/providers/spotify.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ME = 'https://api.spotify.com/v1/me';
const images = [
  { url: 'http://img/s.png', height: 64, width: 64 },
  { url: 'http://img/l.png', height: 300, width: 300 },
];
const user = { id: 'sp1', display_name: 'Spo T', email: 'sp@example.com', images };
const read = async (answer: object) => (await readRecorded(provider, { answers: { [ME]: answer } })).profile;

t.test('spotify: the recorded answer; its addresses are never verified', async (t) => {
  t.strictSame(await read(user), {
    subject: 'sp1',
    claims: {
      iss: 'https://api.spotify.com/v1',
      sub: 'sp1',
      name: 'Spo T',
      full_name: 'Spo T',
      picture: 'http://img/l.png',
      avatar_url: 'http://img/l.png',
      provider_id: 'sp1',
    },
    addresses: [{ email: 'sp@example.com', isVerified: false, isPrimary: true }],
  });
  t.strictSame(await read({ ...user, email_verified: true, verified: true }), await read(user));
});

t.test('spotify: the largest image', async (t) => {
  const pictureOf = async (images: unknown) => (await read({ ...user, images })).claims['picture'];
  const image = (url: string, height: unknown, width: unknown) => ({ url, height, width });
  t.equal(await pictureOf([image('a', 10, 90), image('b', 30, 31), image('c', 20, 40)]), 'b');
  t.equal(await pictureOf([image('a', null, null), image('b', null, null)]), 'a', 'unknown sizes');
  t.equal(await pictureOf([image('a', null, null), image('b', 1, 1)]), 'b');
  t.equal(await pictureOf([]), undefined);
  t.equal(await pictureOf(null), undefined);
});

t.test('spotify: a minimal profile, and one without an id', async (t) => {
  t.strictSame(await read({ id: 'sp2', display_name: null }), {
    subject: 'sp2',
    claims: { iss: 'https://api.spotify.com/v1', sub: 'sp2', provider_id: 'sp2' },
    addresses: [],
  });
  await refusesSubjects(t, provider, (id) => ({ answers: { [ME]: { ...user, id } } }));
});

t.test('spotify: the default hosts, or the configured one', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://accounts.spotify.com/authorize',
    token: 'https://accounts.spotify.com/api/token',
    api: 'https://api.spotify.com/v1',
  });
  t.equal(provider.endpoints('http://localhost:1').api, 'http://localhost:1');
});
