import { provider } from '../../src/server/providers/zoom.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ME = 'https://api.zoom.us/v2/users/me';
const user = {
  id: 'KDcuGIm1QgePTO8WbOqwIQ',
  first_name: 'Jane',
  last_name: 'Dev',
  email: 'jane@example.com',
  verified: 1,
  login_type: '100',
  pic_url: 'https://example.zoom.us/p/1/a.png',
};
const read = async (answer: object) => (await readRecorded(provider, { answers: { [ME]: answer } })).profile;

t.test('zoom: the recorded answer', async (t) => {
  t.strictSame(await read(user), {
    subject: 'KDcuGIm1QgePTO8WbOqwIQ',
    claims: {
      iss: 'https://api.zoom.us/v2',
      sub: 'KDcuGIm1QgePTO8WbOqwIQ',
      name: 'Jane Dev',
      full_name: 'Jane Dev',
      picture: 'https://example.zoom.us/p/1/a.png',
      avatar_url: 'https://example.zoom.us/p/1/a.png',
      provider_id: 'KDcuGIm1QgePTO8WbOqwIQ',
    },
    addresses: [{ email: 'jane@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('zoom: only a password of Zoom itself needs the confirmation', async (t) => {
  for (const [login_type, verified, isVerified] of [
    ['100', 0, false],
    [100, 0, false],
    ['100', undefined, false],
    ['100', 1, true],
    ['1', 0, true],
    ['101', 1, true],
  ] as const) {
    const { addresses } = await read({ ...user, login_type, verified });
    t.match(addresses, [{ isVerified }], `${login_type} ${verified}`);
  }
});

t.test('zoom: names in part, no id, other hosts', async (t) => {
  t.equal((await read({ ...user, last_name: '' })).claims['name'], 'Jane');
  await refusesSubjects(t, provider, (id) => ({ answers: { [ME]: { ...user, id } } }));
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://zoom.us/oauth/authorize',
    token: 'https://zoom.us/oauth/token',
    api: 'https://api.zoom.us/v2',
  });
  t.equal(provider.endpoints('http://localhost:1').api, 'http://localhost:1/v2');
});
