import { claimsOf, type Landing, readLanding } from '../support/external-flow.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import {
  asForm,
  asQuery,
  type LogoutOptions,
  readForm,
  readRedirect,
  SLO_URL,
  writeLogoutAnswer,
  writeLogoutRequest,
} from '../support/fake-saml-logout.js';
import { openSamlFlow, type SamlFlow } from '../support/saml-flow.js';
import { verifyWithLibrary } from '../support/saml-library.js';
import { type Test, t } from '../support/tap.js';

const BOTH = ['HTTP-Redirect', 'HTTP-POST'];
const HOME = 'http://localhost:3000';

async function openLogout(t: Test, slo = BOTH, settings: Record<string, string> = {}) {
  const flow = await openSamlFlow(t, { RATE_LIMIT_SSO: '1000', SAML_RATE_LIMIT_ASSERTION: '1000', ...settings });
  const idp = openFakeIdp();
  await flow.addProvider(idp, { domains: ['acme.example'], metadata_xml: idp.metadata({ slo }) });
  const metadata = await (await fetch(`${flow.url}/sso/saml/metadata`)).text();
  const certificate = /(?<=<ds:X509Certificate>)[^<]*/.exec(metadata)![0];
  const signIn = async (name = 'person-1') => {
    const options = { nameId: { value: name, format: 'urn:x' }, attributes: { mail: `${name}@acme.example` } };
    const { fragment } = await flow.signIn(idp, { domain: 'acme.example' }, options);
    return { bearer: fragment.get('access_token')!, refreshToken: fragment.get('refresh_token')! };
  };
  const isAlive = async ({ bearer }: { bearer: string }) => {
    const found = 'select from sessions where id = $1';
    return (await flow.database.admin.query(found, [claimsOf(bearer)['session_id']])).rowCount === 1;
  };
  return { ...flow, idp, metadata, certificate, signIn, isAlive };
}

const postForm = async (flow: Pick<SamlFlow, 'url'>, form: Record<string, string>) =>
  fetch(`${flow.url}/sso/saml/slo`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(form)),
  });
const sendQuery = async (flow: Pick<SamlFlow, 'url'>, query: string): Promise<Landing> =>
  readLanding(await fetch(`${flow.url}/sso/saml/slo?${query}`, { redirect: 'manual' }));

t.test('the identity provider ends sessions, and gets a signed answer', async (t) => {
  const flow = await openLogout(t);
  t.match(flow.metadata, `bindings:HTTP-Redirect" Location="${SLO_URL}"`);
  t.match(flow.metadata, `bindings:HTTP-POST" Location="${SLO_URL}"`);
  const [one, two, other] = [await flow.signIn(), await flow.signIn(), await flow.signIn('person-2')];

  const xml = writeLogoutRequest(flow.idp, { sessionIndexes: ['session-1'] });
  const landing = await sendQuery(flow, asQuery('SAMLRequest', xml, { key: flow.idp.key, relayState: 'a b+c' }));
  t.equal(landing.status, 303);
  const answer = readRedirect(landing.location.href, flow.certificate);
  t.match(answer, { address: 'https://idp.acme.example/slo-answer', relayState: 'a b+c' });
  t.match(answer.xml, /<samlp:LogoutResponse .*InResponseTo="_[0-9a-f]{32}".*status:Success"/);
  const alive = [await flow.isAlive(one), await flow.isAlive(two), await flow.isAlive(other)];
  t.same(alive, [false, false, true]);
  t.equal((await flow.post('/token?grant_type=refresh_token', { refresh_token: one.refreshToken })).status, 400);

  const audit = await flow.database.admin.query(
    "select payload ->> 'actor_username' as who from audit_log where payload ->> 'action' = 'logout'",
  );
  t.same(audit.rows, [{ who: 'person-1@acme.example' }]);

  const again = await flow.signIn();
  const replayed = await sendQuery(flow, asQuery('SAMLRequest', xml, { key: flow.idp.key }));
  t.equal(replayed.status, 303);
  t.ok(await flow.isAlive(again), 'the same request ends nothing that began after it');
});

t.test('by form, with an answer in a form where the provider wants one', async (t) => {
  const flow = await openLogout(t, ['HTTP-POST']);
  const session = await flow.signIn();
  const form = asForm(flow.idp, 'SAMLRequest', writeLogoutRequest(flow.idp, { sessionIndexes: ['other'] }), 'state');
  t.equal((await postForm(flow, form)).status, 200);
  t.ok(await flow.isAlive(session), 'another session of the person');

  const page = await postForm(flow, asForm(flow.idp, 'SAMLRequest', writeLogoutRequest(flow.idp), 'state'));
  t.match(page.headers.get('content-security-policy'), /script-src 'sha256-/);
  const answer = readForm(await page.text());
  t.match(answer, { address: 'https://idp.acme.example/slo-answer', relayState: 'state' });
  t.match(verifyWithLibrary(answer.xml, flow.certificate), /<samlp:LogoutResponse .*status:Success"/);
  t.notOk(await flow.isAlive(session));
});

t.test('a sign-out here goes on at the identity provider', async (t) => {
  const flow = await openLogout(t);
  const { bearer } = await flow.signIn();
  const out = await flow.call('POST', `/logout?redirect_to=${encodeURIComponent(`${HOME}/bye`)}`, { bearer });
  t.equal(out.status, 200);
  const request = readRedirect(out.body.sso_logout_url, flow.certificate);
  t.match(request.xml, /<saml:NameID Format="urn:x">person-1<.*<samlp:SessionIndex>session-1</);
  t.equal(request.address, 'https://idp.acme.example/slo');
  t.notOk(await flow.isAlive({ bearer }));

  const query = (id: string) =>
    asQuery('SAMLResponse', writeLogoutAnswer(flow.idp, id), { key: flow.idp.key, relayState: request.relayState! });
  t.equal((await sendQuery(flow, query(request.id))).location.href, `${HOME}/bye`);
  t.equal((await sendQuery(flow, query(request.id))).location.href, `${HOME}/`, 'once');

  const forged = await flow.signIn();
  const next = await flow.call('POST', '/logout?scope=local&redirect_to=https://evil.example', forged);
  const { relayState } = readRedirect(next.body.sso_logout_url, flow.certificate);
  t.equal((await sendQuery(flow, `SAMLResponse=x&RelayState=${relayState}`)).location.href, `${HOME}/`);
  const response = flow.idp.respond({ acsUrl: '', audience: '' });
  const asSignIn = await flow.postResponse({ SAMLResponse: response, RelayState: relayState! });
  t.equal(asSignIn.location.searchParams.get('error_code'), 'saml_relay_state_not_found');
});

t.test('a provider that wants forms gets one, others nothing', async (t) => {
  const flow = await openLogout(t, ['HTTP-POST']);
  const { body } = await flow.call('POST', '/logout', await flow.signIn());
  t.match(body.sso_logout_url, `${SLO_URL}?continue=`);
  const address = body.sso_logout_url.replace(SLO_URL, `${flow.url}/sso/saml/slo`);
  const page = readForm(await (await fetch(address)).text());
  t.equal(page.address, 'https://idp.acme.example/slo');
  t.match(verifyWithLibrary(page.xml, flow.certificate), '>person-1<');
  t.equal((await sendQuery(flow, `continue=${'0'.repeat(36)}`)).status, 303);

  const others = await flow.signIn();
  t.equal((await flow.call('POST', '/logout?scope=others', others)).status, 204, 'its own session stays');
  const without = await openLogout(t, []);
  t.equal((await without.call('POST', '/logout', await without.signIn())).status, 204);
});

t.test('what is not signed, for us and of now is refused', async (t) => {
  const flow = await openLogout(t);
  const session = await flow.signIn();
  const key = flow.idp.key;
  const wrong: Record<string, LogoutOptions> = {
    'another address': { destination: `${SLO_URL}/x` },
    'another issuer': { issuer: 'https://evil.example' },
    'too old': { clockMs: -3_600_000 },
    'of tomorrow': { clockMs: 86_400_000 },
    'no person': { subject: '' },
  };
  for (const [name, options] of Object.entries(wrong)) {
    const xml = writeLogoutRequest(flow.idp, options);
    const landing = await sendQuery(flow, asQuery('SAMLRequest', xml, { key }));
    t.match(landing.location.searchParams.get('error_description'), /SAML/, name);
    t.equal(landing.location.origin, HOME, name);
  }
  const good = writeLogoutRequest(flow.idp);
  const signed = asQuery('SAMLRequest', good, { key, relayState: 'a' });
  const queries = {
    unsigned: asQuery('SAMLRequest', good, {}),
    'another key': asQuery('SAMLRequest', good, { key: openFakeIdp().key }),
    'RelayState changed': signed.replace('RelayState=a', 'RelayState=b'),
    'RelayState removed': signed.replace('&RelayState=a', ''),
    'SHA-1': asQuery('SAMLRequest', good, { key, algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    'not deflated': `SAMLRequest=${encodeURIComponent(Buffer.from(good).toString('base64'))}`,
    empty: 'SAMLRequest=',
    nothing: '',
  };
  for (const [name, query] of Object.entries(queries)) {
    t.equal((await sendQuery(flow, query)).location.searchParams.get('error_code'), 'validation_failed', name);
  }
  const unsigned = await postForm(flow, { SAMLRequest: Buffer.from(good).toString('base64') });
  t.match(unsigned.headers.get('location'), 'error_code=validation_failed');
  t.ok(await flow.isAlive(session));

  const off = await flow.call('GET', '/admin/sso/providers');
  t.equal(off.status, 401);
});
