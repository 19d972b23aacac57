import { X509Certificate } from 'node:crypto';
import { claimsOf } from '../support/external-flow.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { ACS_URL, ENTITY_ID, expectedOf, openSamlFlow } from '../support/saml-flow.js';
import { t } from '../support/tap.js';

t.test('people sign in at the identity provider of their company', async (t) => {
  const flow = await openSamlFlow(t);
  const idp = openFakeIdp();

  const metadata = await (await fetch(`${flow.url}/sso/saml/metadata`)).text();
  const served = await fetch(`${flow.url}/sso/saml/metadata`);
  t.match(served.headers.get('content-type'), 'application/xml');
  t.equal(served.headers.get('cache-control'), 'public, max-age=600');
  t.match(metadata, 'AuthnRequestsSigned="true" WantAssertionsSigned="true"');
  const days = (text: string) => (Date.parse(/validUntil="([^"]*)"/.exec(text)![1]!) - Date.now()) / 86_400_000;
  t.ok(Math.abs(days(metadata) - 2) < 0.1, 'two days');
  const kept = await (await fetch(`${flow.url}/sso/saml/metadata?download=true`)).text();
  t.ok(Math.abs(days(kept) - 5 * 365) < 0.1, 'five years in a file');
  t.match(metadata, /AssertionConsumerService Binding="[^"]*HTTP-POST" Location="[^"]*" index="1"/);
  for (const address of metadata.match(/(?<=SingleLogoutService [^>]*Location=")[^"]*/g) ?? []) {
    t.equal((await fetch(address.replace('http://localhost:9999', flow.url), { redirect: 'manual' })).status, 303);
  }
  const [certificate = ''] = /(?<=<ds:X509Certificate>)[^<]*/.exec(metadata) ?? [];
  t.match(metadata, `entityID="${ENTITY_ID}"`);
  t.match(metadata, `Location="${ACS_URL}"`);
  t.equal(new X509Certificate(Buffer.from(certificate, 'base64')).subject, 'CN=SAML 2.0 Certificate for localhost');

  const created = await flow.addProvider(idp, { domains: ['Acme.Example'] });
  t.match(created, { status: 201, body: { saml: { entity_id: idp.entityId }, domains: [{ domain: 'acme.example' }] } });
  const provider = created.body.id as string;

  const started = await flow.post('/sso', { domain: 'ACME.example', redirect_to: 'http://localhost:3000/in' });
  t.equal(started.status, 303);
  const request = idp.readRequest(started.headers.get('location')!, certificate);
  t.match(request, { acsUrl: ACS_URL, issuer: ENTITY_ID });
  t.match(request.id, /^id-[0-9a-f]{40}$/);
  t.equal(request.url.searchParams.get('tenant'), '1', 'the parameters of the provider stay');

  const attributes = { mail: 'Ann@Acme.Example' };
  const response = idp.respond({ ...expectedOf(request.id), attributes });
  const landing = await flow.postResponse({ SAMLResponse: response, RelayState: request.relayState });
  t.equal(landing.status, 302);
  t.equal(landing.location.origin + landing.location.pathname, 'http://localhost:3000/in', landing.location.href);
  const claims = claimsOf(landing.fragment.get('access_token'));
  t.match(claims, {
    email: 'ann@acme.example',
    app_metadata: { provider: `sso:${provider}`, providers: [`sso:${provider}`] },
    amr: [{ method: 'sso/saml', provider }],
  });
  const refreshed = await flow.post('/token?grant_type=refresh_token', {
    refresh_token: landing.fragment.get('refresh_token'),
  });
  t.match(refreshed, {
    status: 200,
    body: { user: { identities: [{ provider: `sso:${provider}`, id: 'person-1' }] } },
  });
});
