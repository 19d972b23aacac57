import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, jwtVerify } from 'jose';
import { startIssuer } from '../support/issuer.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import {
  beginSignIn,
  endSignIn,
  findProvider,
  loadProviders,
  NONCE,
  providerSettings,
  STATE,
} from '../support/sign-in.js';
import { t } from '../support/tap.js';

const person = {
  sub: '001.ab',
  email: 'x@e.com',
  email_verified: 'true',
  is_private_email: 'false',
  auth_time: 1700000000,
};
const bodyOnly = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
const user = (value: unknown) => ({ code: 'c', user: typeof value === 'string' ? value : JSON.stringify(value) });

t.test('apple: response_mode form_post, without parameters of the caller', async (t) => {
  const { issuer } = await startIssuer(t);
  const apple = await findProvider(await loadProviders(providerSettings('apple', issuer)), 'apple');
  const { url } = await beginSignIn(apple, { scopes: 'more', response_mode: 'query', nonce: 'other' });
  t.same(Object.fromEntries(url.searchParams), {
    client_id: 'cid',
    nonce: NONCE,
    redirect_uri: 'http://localhost/callback',
    response_mode: 'form_post',
    response_type: 'code',
    scope: 'email name',
    state: STATE,
  });
});

t.test('apple: the name comes with the form, once', async (t) => {
  const it = await startIssuer(t, '', bodyOnly);
  it.claims = person;
  const apple = await findProvider(await loadProviders(providerSettings('apple', it.issuer)), 'apple');
  const claims = {
    iss: it.issuer,
    sub: '001.ab',
    provider_id: '001.ab',
    custom_claims: { is_private_email: 'false', auth_time: 1700000000 },
  };
  const named = user({ name: { firstName: 'Ada', lastName: 'L' }, email: 'other@e.com' });
  t.match(await endSignIn(apple, named), {
    profile: {
      subject: '001.ab',
      claims: { ...claims, name: 'Ada L', full_name: 'Ada L' },
      addresses: [{ email: 'x@e.com', isVerified: true, isPrimary: true }],
    },
  });
  t.match((await endSignIn(apple)) as object, { profile: { claims } });
  t.match(await endSignIn(apple, user({ name: { firstName: 'Ada' } })), { profile: { claims: { name: 'Ada' } } });
  t.match(await endSignIn(apple, user({ name: [1] })), { profile: { claims } });
  await t.rejects(endSignIn(apple, user('{')), { message: /getting user profile/ });
  const exchanges = it.server.requests.filter(({ path }) => path === '/token');
  t.equal(exchanges.length, 5, 'each code was sent once: the document says that the secret belongs into the body');
  t.equal(exchanges[0]!.form.get('client_secret'), 'the-secret');
  t.equal(exchanges[0]!.headers.authorization, undefined);
});

t.test('apple: transfer_sub of an app that changes its team', async (t) => {
  const it = await startIssuer(t);
  it.claims = { ...person, transfer_sub: '760417.ebbf12acbc78e1be1668ba852d492d8a.1827' };
  const apple = await findProvider(await loadProviders(providerSettings('apple', it.issuer)), 'apple');
  const custom_claims = { transfer_sub: '760417.ebbf12acbc78e1be1668ba852d492d8a.1827' };
  t.match(await endSignIn(apple), { profile: { subject: '001.ab', claims: { sub: '001.ab', custom_claims } } });
});

t.test('apple: an address without email_verified is not verified', async (t) => {
  const it = await startIssuer(t);
  const apple = await findProvider(await loadProviders(providerSettings('apple', it.issuer)), 'apple');
  for (const [given, isVerified] of [
    [undefined, true],
    [true, true],
    ['true', true],
    ['false', false],
    [false, false],
  ] as const) {
    it.claims = { ...person, email_verified: given };
    t.match(await endSignIn(apple), { profile: { addresses: [{ isVerified }] } }, String(given));
  }
});

t.test('apple: the private key signs client secrets, one an hour', async (t) => {
  const it = await startIssuer(t, '', bodyOnly);
  it.claims = person;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const key = { AUTH_EXTERNAL_APPLE_TEAM_ID: 'TEAM', AUTH_EXTERNAL_APPLE_KEY_ID: 'KEY' };
  const settings = providerSettings('apple', it.issuer, { SECRET: pem.replaceAll('\n', '\\n') });
  const apple = await findProvider(await loadProviders({ ...settings, ...key }), 'apple');
  await endSignIn(apple);
  await endSignIn(apple);
  const [first, second] = it.server.requests
    .filter(({ path }) => path === '/token')
    .map(({ form }) => form.get('client_secret')!);
  t.equal(first, second);
  const { payload, protectedHeader } = await jwtVerify(first!, publicKey, {
    issuer: 'TEAM',
    subject: 'cid',
    audience: 'https://appleid.apple.com',
  });
  t.match(protectedHeader, { alg: 'ES256', kid: 'KEY' });
  t.ok(payload.exp! - payload.iat! <= 15_777_000, 'Apple permits six months');
  t.ok(decodeJwt(first!).iat);

  const lacking = await (await loadProviders(settings)).find('apple');
  t.same(lacking, { unusable: 'missing Apple team ID or key ID' });
  const wrong = takeRsaKey().export({ format: 'pem', type: 'pkcs8' }).toString();
  const unfit = await findProvider(
    await loadProviders({ ...settings, ...key, AUTH_EXTERNAL_APPLE_SECRET: wrong }),
    'apple',
  );
  const error = await endSignIn(unfit).catch((failure: Error) => failure);
  t.match(error, { message: 'Unable to exchange external code: code' });
  t.match((error as Error).cause, { message: /AUTH_EXTERNAL_APPLE_SECRET is no private key/ });
});
