import { ProviderFault } from '../../src/server/providers/claims.js';
import { provider } from '../../src/server/providers/discord.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const USER = 'https://discord.com/api/v10/users/@me';
const user = {
  id: '80',
  username: 'dis',
  discriminator: '0001',
  global_name: 'Dis C',
  avatar: 'abc',
  email: 'd@example.com',
  verified: true,
};
const read = async (changes: object) =>
  (await readRecorded(provider, { answers: { [USER]: { ...user, ...changes } } })).profile;

t.test('discord: the recorded answer', async (t) => {
  t.strictSame(await read({}), {
    subject: '80',
    claims: {
      iss: 'https://discord.com/api',
      sub: '80',
      name: 'dis#0001',
      full_name: 'dis',
      picture: 'https://cdn.discordapp.com/avatars/80/abc.png',
      avatar_url: 'https://cdn.discordapp.com/avatars/80/abc.png',
      provider_id: '80',
      custom_claims: { global_name: 'Dis C' },
    },
    addresses: [{ email: 'd@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('discord: avatars', async (t) => {
  const avatarOf = async (changes: object) => {
    const { claims } = await read(changes);
    t.equal(claims['picture'], claims['avatar_url']);
    return claims['picture'];
  };
  t.equal(await avatarOf({ avatar: 'a_moving' }), 'https://cdn.discordapp.com/avatars/80/a_moving.gif');
  t.equal(await avatarOf({ avatar: null }), 'https://cdn.discordapp.com/embed/avatars/1.png');
  t.equal(
    await avatarOf({ avatar: null, discriminator: '9999' }),
    'https://cdn.discordapp.com/embed/avatars/4.png',
    '9999 mod 5',
  );
  t.equal(await avatarOf({ avatar: '', discriminator: '0' }), 'https://cdn.discordapp.com/embed/avatars/0.png');
  for (const discriminator of ['', 'abc', '12a', undefined, 12]) {
    await t.rejects(read({ avatar: null, discriminator }), ProviderFault, `${discriminator}`);
  }
  t.equal((await read({ discriminator: 'abc' })).claims['name'], 'dis#abc', 'with an avatar it does not matter');
});

t.test('discord: no display name, no address, an address that is not verified', async (t) => {
  t.strictSame((await read({ global_name: null })).claims['custom_claims'], { global_name: '' });
  t.strictSame((await read({ email: null })).addresses, []);
  for (const verified of [false, 'false', 1, undefined]) {
    t.strictSame((await read({ verified })).addresses, [
      { email: 'd@example.com', isVerified: false, isPrimary: true },
    ]);
  }
});

t.test('discord: a profile without an id is refused', async (t) => {
  await refusesSubjects(t, provider, (id) => ({ answers: { [USER]: { ...user, id } } }));
});

t.test('discord: another address', async (t) => {
  const url = 'http://localhost:1/d';
  const { profile } = await readRecorded(provider, { url, answers: { [`${url}/api/v10/users/@me`]: user } });
  t.equal(profile.claims['iss'], 'http://localhost:1/d/api');
});
