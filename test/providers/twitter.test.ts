import { MissingSubject } from '../../src/server/providers/claims.js';
import { makeAuthorization, makeBaseString, signBaseString } from '../../src/server/providers/oauth1-signature.js';
import { provider } from '../../src/server/providers/twitter.js';
import { badSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ISSUER = 'https://api.twitter.com/1.1/account/verify_credentials.json';
const user = {
  id: 99,
  id_str: '99',
  screen_name: 'bird',
  name: 'Bir D',
  profile_image_url_https: 'http://img/b.png',
  email: 'b@example.com',
};

t.test('twitter: the recorded answer', async (t) => {
  t.strictSame(provider.readProfile(user, null), {
    subject: '99',
    claims: {
      iss: ISSUER,
      sub: '99',
      name: 'Bir D',
      full_name: 'Bir D',
      preferred_username: 'bird',
      user_name: 'bird',
      picture: 'http://img/b.png',
      avatar_url: 'http://img/b.png',
      provider_id: '99',
    },
    addresses: [{ email: 'b@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('twitter: a minimal profile, and one without an id_str', async (t) => {
  t.strictSame(provider.readProfile({ id_str: '98' }, 'http://localhost:1/t'), {
    subject: '98',
    claims: { iss: 'http://localhost:1/t/1.1/account/verify_credentials.json', sub: '98', provider_id: '98' },
    addresses: [],
  });
  for (const id_str of [...badSubjects, 99]) {
    t.throws(() => provider.readProfile({ ...user, id_str }, null), MissingSubject);
  }
  t.throws(() => provider.readProfile({ errors: [{ code: 89 }] }, null), MissingSubject);
});

t.test('the base string of RFC 5849 3.4.1.1', async (t) => {
  const pairs = [
    ['oauth_consumer_key', '9djdj82h48djs9d2'],
    ['oauth_token', 'kkk9d7dh3k39sjv7'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131201'],
    ['oauth_nonce', '7d8f3e4a'],
    // Of the form.
    ['c2', ''],
    ['a3', '2 q'],
  ] as const;
  t.equal(
    makeBaseString('POST', 'http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b', pairs),
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  );
});

t.test('the signatures of RFC 5849 1.2', async (t) => {
  const initiate = [
    ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131200'],
    ['oauth_nonce', 'wIjqoS'],
    ['oauth_callback', 'http://printer.example.com/ready'],
  ] as const;
  const clientSecret = 'kd94hf93k423kf44';
  const sign = (method: string, url: string, pairs: readonly (readonly [string, string])[], tokenSecret: string) =>
    signBaseString(makeBaseString(method, url, pairs), { clientSecret, tokenSecret });
  t.equal(sign('POST', 'https://photos.example.net/initiate', initiate, ''), '74KNZJeDHnMBp0EMJ9ZHt/XKycU=');
  const token = [
    ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
    ['oauth_token', 'hh5s93j4hdidpola'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131201'],
    ['oauth_nonce', 'walatlh'],
    ['oauth_verifier', 'hfdp7dh39dks9884'],
  ] as const;
  t.equal(sign('POST', 'https://photos.example.net/token', token, 'hdhd0244k9j7ao03'), 'gKgrFCywp7rO0OXSjdot/IHF7IU=');
  const photos = [
    ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
    ['oauth_token', 'nnch734d00sl2jdk'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131202'],
    ['oauth_nonce', 'chapoH'],
  ] as const;
  t.equal(
    sign('GET', 'http://photos.example.net/photos?file=vacation.jpg&size=original', photos, 'pfkkdhi9sl3r4s00'),
    'MdpQcU8iPSUjWoN/UDMsK2sui9I=',
  );
});

/** https://docs.x.com/resources/fundamentals/authentication/oauth-1-0a/creating-a-signature */
t.test('the signature that Twitter documents', async (t) => {
  const secrets = {
    clientSecret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
    tokenSecret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
  };
  const pairs = [
    ['status', 'Hello Ladies + Gentlemen, a signed OAuth request!'],
    ['oauth_consumer_key', 'xvz1evFS4wEEPTGEFPHBog'],
    ['oauth_nonce', 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1318622958'],
    ['oauth_token', '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb'],
    ['oauth_version', '1.0'],
  ] as const;
  const base = makeBaseString('post', 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true', pairs);
  t.equal(signBaseString(base, secrets), 'hCtSmYh+iHYCEqBWrE7C7hYmtUk=');
});

t.test('the header: sorted, encoded, separated by commas', async (t) => {
  const pairs = [
    ['oauth_nonce', 'n!'],
    ['oauth_callback', "http://x/?a=b c'(*)"],
  ] as const;
  const header = makeAuthorization('GET', 'https://example.com/a', pairs, { clientSecret: 's', tokenSecret: '' });
  t.match(
    header,
    /^OAuth oauth_callback="http%3A%2F%2Fx%2F%3Fa%3Db%20c%27%28%2A%29",oauth_nonce="n%21",oauth_signature="[\w%]+"$/,
  );
});
