import { loadConfig } from '../../src/server/config/load.js';
import { openProviders } from '../../src/server/providers/index.js';
import { openExternalFlow } from '../support/external-flow.js';
import { startIssuer } from '../support/issuer.js';
import { loadProviders, providerConfig, providerSettings, redeemIdToken } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const ALLOWED = 'AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS';

const unacceptable = (audience: string) => ({ message: `Unacceptable audience in id_token: [${audience}]` });

t.test('SEC-84: the caller does not choose the audience of an ID token', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined };
  const forAnotherApp = await it.signIdToken({ aud: 'another-app' });
  const providers = await loadProviders({ [ALLOWED]: it.issuer });
  for (const clientId of ['another-app', 'x']) {
    const request = { idToken: forAnotherApp, clientId, issuer: it.issuer };
    await t.rejects(redeemIdToken(providers, request), unacceptable('another-app'), `client_id ${clientId}`);
  }
});

t.test('SEC-84: an entry names the audiences of its issuer', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined };
  const other = 'https://x.example.com;third-app';
  const providers = await loadProviders({ [ALLOWED]: `${other},${it.issuer};our-app,our-other-app` });
  const request = { clientId: 'whatever', issuer: it.issuer };
  for (const aud of ['our-app', ['a', 'our-other-app']]) {
    const grant = { provider: it.issuer, profile: { subject: 'subject-1' } };
    t.match(await redeemIdToken(providers, { ...request, idToken: await it.signIdToken({ aud }) }), grant);
  }
  for (const aud of ['another-app', 'third-app', 'whatever', 'our-app,our-other-app']) {
    await t.rejects(
      redeemIdToken(providers, { ...request, idToken: await it.signIdToken({ aud }) }),
      unacceptable(aud),
    );
  }
});

t.test('SEC-84: what is listed for one issuer of a provider is not accepted from its others', async (t) => {
  const [ours, theirs] = ['11111111-2222-3333-4444-555555555555', '99999999-8888-7777-6666-555555555555'];
  const it = await startIssuer(t, '/common/v2.0', { issuer: 'replaced below' });
  const { url } = it.server;
  const path = '/common/v2.0/.well-known/openid-configuration';
  const document = it.server.answers.get(path) as { body: object };
  it.server.answers.set(path, { body: { ...document.body, issuer: `${url}/{tenantid}/v2.0` } });
  const tenant = (id: string) => `${url}/${id}/v2.0`;
  const settings = providerSettings('azure', `${url}/common`);
  const providers = await loadProviders({ ...settings, [ALLOWED]: `${tenant(ours)};our-app` });
  const sign = (id: string, aud: string) =>
    it.signIdToken({ iss: tenant(id), tid: id, aud, nonce: undefined, email_verified: true });
  const azure = { provider: 'azure' };
  t.match(await redeemIdToken(providers, { ...azure, idToken: await sign(ours, 'our-app') }), azure);
  t.match(await redeemIdToken(providers, { ...azure, idToken: await sign(theirs, 'cid') }), azure, 'a client id');
  await t.rejects(
    redeemIdToken(providers, { ...azure, idToken: await sign(theirs, 'our-app') }),
    unacceptable('our-app'),
  );
});

t.test('SEC-84: over HTTP, a token for another app creates no account', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined, email: 'victim@example.com', email_verified: true };
  const flow = await openExternalFlow(t, [], { EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: `${it.issuer};our-app` });
  const redeemOver = async (aud: string) => {
    const body = { id_token: await it.signIdToken({ aud }), client_id: aud, issuer: it.issuer };
    return flow.post('/token?grant_type=id_token', body);
  };
  t.match(await redeemOver('another-app'), {
    status: 400,
    body: { error: 'invalid request', error_description: 'Unacceptable audience in id_token: [another-app]' },
  });
  t.equal((await flow.database.admin.query('select from users')).rows.length, 0);
  t.match(await redeemOver('our-app'), { status: 200, body: { user: { email: 'victim@example.com' } } });
});

t.test('SEC-84: invalid entries are reported at start, and those that admit no token are logged', async (t) => {
  const load = (text: string) => () => loadConfig({ environment: { ...required, [ALLOWED]: text }, file: null });
  const required = {
    AUTH_JWT_SECRET: 'a secret for tests of at least 32 bytes',
    AUTH_DB_DRIVER: 'postgres',
    DATABASE_URL: 'postgres://127.0.0.1/latchkey',
    AUTH_API_EXTERNAL_URL: 'http://localhost:9999',
    AUTH_SITE_URL: 'http://localhost:3000',
  };
  const bad = ['our-app', 'https://a.example.com,our-app', 'https://a.example.com;', 'a.example.com;our-app'];
  const worse = ['https://a.example.com;one;two', 'https://a.example.com?x=1;one', 'https://u:p@a.example.com;one'];
  for (const text of [...bad, ...worse]) {
    t.throws(load(text), { name: 'ConfigError', faults: [{ variable: ALLOWED }] }, text);
  }
  const listed =
    'https://a.example.com ; one, two ,https://b.example.com,https://a.example.com;https://three.example.com';
  t.same(load(listed)().config.externalAllowedIdTokenIssuers, [
    { issuer: 'https://a.example.com', audiences: ['one', 'two', 'https://three.example.com'] },
    { issuer: 'https://b.example.com', audiences: [] },
  ]);

  const warned: object[] = [];
  const log = { warn: (fields: object) => void warned.push(fields) };
  await openProviders({ config: providerConfig({}), log });
  t.same(warned, [], 'no notice by default');
  const google = 'https://accounts.google.com;our-app';
  await openProviders({ config: providerConfig({ [ALLOWED]: `https://b.example.com,${google}` }), log });
  t.match(warned, [
    { issuer: 'https://b.example.com', reason: 'it names no audience' },
    { issuer: 'https://accounts.google.com', reason: 'sign-in with google is switched off' },
  ]);
});
