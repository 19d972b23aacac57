import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { claimsOf, type Landing } from '../support/external-flow.js';
import { EMAIL_FORMAT, openFakeIdp, PERSISTENT, type ResponseOptions, TRANSIENT } from '../support/fake-saml-idp.js';
import { readLogEntries } from '../support/log-entries.js';
import { expectedOf, openSamlFlow, samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { newSamlKey } from '../support/saml-keys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const mail = (): { mail: string } => ({ mail: freshEmail() });

/** A refusal in the redirect: a code and one short sentence, at SITE_URL. */
const refusal = ({ status, location, query }: Landing) => {
  const text = query.get('error_description') ?? '';
  const isShort = text.length > 0 && text.length < 120 && location.hash === '';
  return [status, location.origin, query.get('error_code'), isShort];
};
const refused = (code: string) => [303, 'http://localhost:3000', code, true];

t.test('responses at the assertion consumer service', async (t) => {
  const file = join(t.testdir(), 'log');
  const settings = samlSettings({ SAML_ALLOW_ENCRYPTED_ASSERTIONS: 'true', DB_MAX_POOL_SIZE: '10' });
  const flow = samlFlowOn(await openTestServer(t, { ...settings, LOG_FILE: file, LOG_LEVEL: 'info' }));
  const logged = () => readLogEntries(file);
  const [idp, other] = [openFakeIdp(), openFakeIdp('idp.other.example')];
  const provider = (await flow.addProvider(idp, { domains: ['acme.example'] })).body.id as string;
  const otherProvider = (await flow.addProvider(other)).body.id as string;
  const to = { provider_id: provider };
  const send = (options: Partial<ResponseOptions> = {}, RelayState = '') =>
    flow.postResponse({ SAMLResponse: idp.respond({ ...expectedOf(), attributes: mail(), ...options }), RelayState });
  const sql = (text: string, values: unknown[] = []) => flow.database.admin.query(text, values);

  await t.test('a sign-in that began at the provider', async (t) => {
    const landing = await send({}, 'http://localhost:3000/from-idp');
    t.match([landing.status, landing.location.pathname], [302, '/from-idp']);
    t.equal(
      (await send({}, 'https://evil.example/')).location.origin,
      'http://localhost:3000',
      'only permitted targets',
    );
    t.same(refusal(await send({}, 'no url')), refused('validation_failed'));
    const artifact = await flow.postResponse({ SAMLart: 'AAQAAA==', RelayState: '' });
    t.equal(artifact.status, 303);
    t.match(artifact.query.get('error_description'), /^Artifacts are not supported/);
    t.notMatch(await (await fetch(`${flow.url}/sso/saml/metadata`)).text(), /Artifact/, 'nor advertised');
    t.same(refusal(await send({ requestId: 'id-0' })), refused('validation_failed'), 'one that answers a request');
    t.same(refusal(await send({ issuer: 'https://nobody.example' })), refused('saml_idp_not_found'));
    await flow.admin('PUT', `/admin/sso/providers/${provider}`, { idp_initiated: false });
    t.same(refusal(await send()), refused('validation_failed'), 'switched off for the provider');
    await flow.admin('PUT', `/admin/sso/providers/${provider}`, { idp_initiated: true });
  });

  await t.test('a response is used once, also at the same time', async (t) => {
    const response = idp.respond({ ...expectedOf(), attributes: mail() });
    const landings = await Promise.all(
      Array.from({ length: 8 }, () => flow.postResponse({ SAMLResponse: response, RelayState: '' })),
    );
    t.equal(landings.filter(({ status }) => status === 302).length, 1);
    t.same(refusal(await flow.postResponse({ SAMLResponse: response })), refused('validation_failed'));

    const request = await flow.begin(idp, to);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send({ requestId: request.id }, request.relayState)),
    );
    t.equal(answers.filter(({ status }) => status === 302).length, 1, 'eight assertions, one RelayState');
    t.equal(answers.filter(({ query }) => query.get('error_code') === 'saml_relay_state_not_found').length, 7);
  });

  await t.test('nor at two instances, one after the other or at the same time', async (t) => {
    const second = samlFlowOn(await openTestServer(t, settings, () => flow.database.url));
    const both = [flow, second];
    const count = (landings: readonly Landing[]) => landings.filter(({ status }) => status === 302).length;
    const response = idp.respond({ ...expectedOf(), attributes: mail() });
    const form = { SAMLResponse: response, RelayState: '' };
    t.equal(count([await flow.postResponse(form), await second.postResponse(form)]), 1, 'one after the other');
    const again = { SAMLResponse: idp.respond({ ...expectedOf(), attributes: mail() }), RelayState: '' };
    t.equal(count(await Promise.all([...both, ...both].map((one) => one.postResponse(again)))), 1, 'at the same time');

    const { id, relayState } = await second.begin(idp, to);
    const answers = await Promise.all(
      [...both, ...both].map((one) =>
        one.postResponse({
          SAMLResponse: idp.respond({ ...expectedOf(id), attributes: mail() }),
          RelayState: relayState,
        }),
      ),
    );
    t.equal(count(answers), 1, 'one RelayState, which began at the other instance');
  });

  await t.test('the log has the reason, with the id of the request; the browser has a sentence', async (t) => {
    const replayed = idp.respond({ ...expectedOf(), attributes: mail() });
    await flow.postResponse({ SAMLResponse: replayed });
    const refusals: Readonly<Record<string, string>> = {
      saml_signature_invalid: idp.respond({ ...expectedOf(), key: other.key, attributes: mail() }),
      saml_audience_mismatch: idp.respond({ ...expectedOf(), audience: 'https://other.example', attributes: mail() }),
      saml_expired: idp.respond({ ...expectedOf(), clockMs: -120_000, attributes: mail() }),
      saml_recipient: idp.respond({ ...expectedOf(), recipient: 'https://other.example', attributes: mail() }),
      saml_replayed: replayed,
    };
    // Lines of the tests above may still be on their way, and come before that of a reason which none of them has.
    await flow.postResponse({ SAMLResponse: refusals['saml_recipient']! });
    await until(() => logged().some((line) => line['error_code'] === 'saml_recipient'));
    for (const [code, SAMLResponse] of Object.entries(refusals)) {
      const known = logged().length;
      t.same(refusal(await flow.postResponse({ SAMLResponse })), refused('validation_failed'), code);
      const found = () =>
        logged()
          .slice(known)
          .filter((line) => 'error_code' in line && line['component'] === 'sso');
      await until(() => found().length > 0);
      t.match(found(), [{ error_code: code, provider, request_id: /^[\w-]{20,}$/, reason: /^[a-z][^<>]{5,80}$/ }]);
      t.notMatch(JSON.stringify(found()), /person-1|@example\.com/, 'nothing of the message');
    }
  });

  await t.test('a response belongs to its request and its provider', async (t) => {
    const [one, two] = [await flow.begin(idp, to), await flow.begin(idp, to)];
    t.same(refusal(await send({ requestId: two.id }, one.relayState)), refused('validation_failed'));
    t.same(
      refusal(await send({ requestId: one.id }, one.relayState)),
      refused('saml_relay_state_not_found'),
      'used up',
    );
    t.same(refusal(await send({}, two.relayState)), refused('validation_failed'), 'answers no request');
    const foreign = await flow.begin(other, { provider_id: otherProvider });
    t.same(refusal(await send({ requestId: foreign.id }, foreign.relayState)), refused('validation_failed'));
    t.same(refusal(await send({}, randomUUID())), refused('saml_relay_state_not_found'));
    const late = await flow.begin(idp, to);
    await sql("update saml_relay_states set expires_at = now() - interval '1 second' where id = $1", [late.relayState]);
    t.same(refusal(await send({ requestId: late.id }, late.relayState)), refused('saml_relay_state_expired'));
    const empty = await flow.begin(idp, to);
    t.same(refusal(await flow.postResponse({ RelayState: empty.relayState })), refused('validation_failed'));
    t.same(refusal(await flow.postResponse({ RelayState: empty.relayState })), refused('saml_relay_state_not_found'));
  });

  await t.test('what is no response', async (t) => {
    for (const SAMLResponse of ['', '%%', 'AAAA', Buffer.from('<html/>').toString('base64')]) {
      t.same(refusal(await flow.postResponse({ SAMLResponse })), refused('validation_failed'), SAMLResponse);
    }
    const large = await fetch(`${flow.url}/sso/saml/acs`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `SAMLResponse=${'A'.repeat(400_000)}`,
    });
    t.equal(large.status, 413);
  });

  await t.test('who it is', async (t) => {
    const id = async (options: Partial<ResponseOptions>) => {
      const landing = await send(options);
      if (landing.status !== 302) return landing.query.get('error_code');
      const { sub } = claimsOf(landing.fragment.get('access_token'));
      return (await sql('select provider_id from identities where user_id = $1', [sub])).rows[0].provider_id;
    };
    const name = randomUUID();
    const subjectId = { 'urn:oasis:names:tc:SAML:attribute:subject-id': `${name}@acme`, ...mail() };
    t.equal(await id({ attributes: subjectId }), `${name}@acme`);
    t.equal(await id({ nameId: { value: name, format: TRANSIENT } }), 'saml_assertion_no_user_id');
    t.equal(await id({ nameId: null }), 'saml_assertion_no_user_id');
    t.equal(
      await id({ nameId: { value: ` Ann-${name}@Acme.Example `, format: EMAIL_FORMAT }, attributes: {} }),
      `ann-${name}@acme.example`,
    );
    t.equal(await id({ attributes: {} }), 'saml_assertion_no_email');
    t.equal(await id({ attributes: { mail: 'no address' } }), 'saml_assertion_no_email');
  });

  await t.test('accounts are apart, and a changed address follows the provider', async (t) => {
    const email = freshEmail();
    await flow.post('/signup', { email, password });
    const nameId = { value: randomUUID(), format: PERSISTENT };
    const first = claimsOf((await send({ nameId, attributes: { mail: email } })).fragment.get('access_token'));
    const theirs = other.respond({ ...expectedOf(), nameId, attributes: { mail: email } });
    const second = claimsOf((await flow.postResponse({ SAMLResponse: theirs })).fragment.get('access_token'));
    t.not(first.sub, second.sub, 'two providers are two people');
    const signedIn = await flow.post('/token?grant_type=password', { email, password });
    t.equal(signedIn.status, 200);
    t.notOk([first.sub, second.sub].includes(signedIn.body.user.id));

    const changed = freshEmail();
    const landing = await send({ nameId, attributes: { mail: changed } });
    const bearer = landing.fragment.get('access_token')!;
    t.match(claimsOf(bearer), { sub: first.sub, email: changed });
    for (const body of [{ password: 'another long password' }, { email: freshEmail() }, { phone: '15550001111' }]) {
      t.match(await flow.call('PUT', '/user', { bearer, body }), {
        status: 422,
        body: { error_code: 'user_sso_managed' },
      });
    }
    t.equal((await flow.call('PUT', '/user', { bearer, body: { data: { theme: 'dark' } } })).status, 200);
    t.equal((await flow.post('/otp', { email: changed, create_user: false })).status >= 400, true, 'no code for it');

    await flow.admin('PUT', `/admin/users/${first.sub}`, { ban_duration: '1h' });
    t.same(refusal(await send({ nameId })), refused('user_banned'));
  });

  await t.test('two first sign-ins at once are one person', async (t) => {
    const nameId = { value: randomUUID(), format: PERSISTENT };
    const landings = await Promise.all(Array.from({ length: 4 }, () => send({ nameId })));
    const people = landings.map(({ fragment }) => claimsOf(fragment.get('access_token')).sub);
    t.equal(new Set(people).size, 1);
  });

  await t.test('the mapping, and claims that the person cannot change', async (t) => {
    const keys = {
      email: { name: 'Address' },
      given_name: { names: ['nickname', 'GivenName'] },
      team: { name: 'Team', default: 'none' },
      groups: { name: 'Groups', array: true, target: 'app_metadata' },
      sub: { name: 'Groups' },
    };
    const put = await flow.admin('PUT', `/admin/sso/providers/${provider}`, { attribute_mapping: { keys } });
    t.match(put, { status: 200, body: { saml: { attribute_mapping: { keys } } } });
    const nameId = { value: randomUUID(), format: PERSISTENT };
    const attributes = { address: freshEmail(), givenname: ['Ann', 'Anna'], Groups: ['a', 'b'] };
    const claims = claimsOf((await send({ nameId, attributes })).fragment.get('access_token'));
    t.match(claims, {
      email: attributes.address,
      app_metadata: { sso: { groups: ['a', 'b'] } },
      user_metadata: { given_name: 'Ann', iss: idp.entityId, sub: nameId.value, custom_claims: { team: 'none' } },
    });
    t.notOk('groups' in (claims['user_metadata'] as object));
    const shortened = () => logged().filter(({ claims }) => claims !== undefined);
    await until(() => shortened().length > 0);
    t.match(shortened(), [{ claims: ['sub', 'given_name'], provider, msg: /several values only the first was kept/ }]);
    const later = claimsOf(
      (await send({ nameId, attributes: { address: attributes.address } })).fragment.get('access_token'),
    );
    t.same((later['app_metadata'] as { sso: object }).sso, {}, 'replaced at each sign-in');
    await flow.admin('PUT', `/admin/sso/providers/${provider}`, { attribute_mapping: {} });
    const last = claimsOf(
      (await send({ nameId, attributes: { mail: attributes.address } })).fragment.get('access_token'),
    );
    t.notOk('sso' in (last['app_metadata'] as object));
  });

  await t.test('PKCE makes one session, at the exchange, which ends when the provider says', async (t) => {
    const verifier = randomBytes(40).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const pkce = { code_challenge: challenge, code_challenge_method: 's256' };
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const landing = await flow.signIn(idp, { ...to, ...pkce }, { attributes: mail(), sessionNotOnOrAfter: end });
    const auth_code = landing.query.get('code');
    t.ok(auth_code, landing.location.href);
    const { rows: before } = await sql('select count(*)::int as n from sessions where not_after = $1', [end]);
    t.equal(before[0].n, 0);
    const wrong = await flow.post('/token?grant_type=pkce', { auth_code, code_verifier: 'x'.repeat(43) });
    t.equal(wrong.status, 400);
    const exchanged = await flow.post('/token?grant_type=pkce', { auth_code, code_verifier: verifier });
    t.equal(exchanged.status, 200);
    t.match(claimsOf(exchanged.body.access_token), { amr: [{ method: 'sso/saml', provider }] });
    const { rows } = await sql('select id, saml, sso_provider_id from sessions where not_after = $1', [end]);
    t.match(rows, [{ saml: { session_index: 'session-1', name_id: 'person-1' }, sso_provider_id: provider }]);
    await sql("update sessions set not_after = now() - interval '1 second' where id = $1", [rows[0].id]);
    const { refresh_token } = exchanged.body;
    const refreshed = await flow.post('/token?grant_type=refresh_token', { refresh_token });
    t.match(refreshed, { status: 400, body: { error_code: 'session_expired' } });
    t.match(await flow.post('/sso', { ...to, code_challenge: challenge }), { status: 400 });
  });

  await t.test('an encrypted assertion', async (t) => {
    const certificate = /(?<=encryption.*?<ds:X509Certificate>)[^<]*/.exec(
      await (await fetch(`${flow.url}/sso/saml/metadata`)).text(),
    )![0];
    for (const signs of ['assertion', 'response'] as const) {
      const landing = await send({ signs, encryptFor: certificate });
      t.equal(landing.status, 302, `${signs}: ${landing.location.href}`);
    }
    t.same(refusal(await send({ signs: 'nothing', encryptFor: certificate })), refused('validation_failed'));
    t.same(refusal(await send({ encryptFor: idp.certificate })), refused('validation_failed'), 'for another key');
    const old = { encryption: { transport: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' } };
    t.same(refusal(await send({ encryptFor: certificate, ...old })), refused('validation_failed'), 'PKCS #1 1.5');
  });

  await t.test('a provider that is disabled or deleted loses its sessions', async (t) => {
    const landing = await flow.postResponse({ SAMLResponse: other.respond({ ...expectedOf(), attributes: mail() }) });
    const refresh_token = landing.fragment.get('refresh_token');
    const waiting = await flow.begin(other, { provider_id: otherProvider });
    await flow.admin('PUT', `/admin/sso/providers/${otherProvider}`, { disabled: true });
    t.equal((await flow.post('/token?grant_type=refresh_token', { refresh_token })).status, 400);
    t.match(await flow.post('/sso', { provider_id: otherProvider }), {
      status: 404,
      body: { error_code: 'sso_provider_disabled' },
    });
    const SAMLResponse = other.respond({ ...expectedOf(waiting.id), attributes: mail() });
    const answer = await flow.postResponse({ SAMLResponse, RelayState: waiting.relayState });
    t.same(refusal(answer), refused('sso_provider_disabled'));
    t.equal((await flow.admin('DELETE', `/admin/sso/providers/${otherProvider}`)).status, 200);
    t.same(refusal(await flow.postResponse({ SAMLResponse })), refused('saml_idp_not_found'));

    const third = openFakeIdp('idp.third.example');
    const { body } = await flow.addProvider(third);
    const theirs = await flow.postResponse({ SAMLResponse: third.respond({ ...expectedOf(), attributes: mail() }) });
    const { sub } = claimsOf(theirs.fragment.get('access_token'));
    await flow.admin('DELETE', `/admin/sso/providers/${body.id}`);
    const dead = { refresh_token: theirs.fragment.get('refresh_token') };
    t.equal((await flow.post('/token?grant_type=refresh_token', dead)).status, 400, 'deleted');
    t.equal((await sql('select from sessions where user_id = $1', [sub])).rowCount, 0);
    t.equal((await flow.admin('GET', `/admin/users/${sub}`)).status, 200, 'the account stays');
  });
});

t.test('settings of SAML', async (t) => {
  const flow = await openSamlFlow(t, {
    DISABLE_SIGNUP: 'true',
    SAML_ALLOW_IDP_INITIATED: 'false',
    SAML_ALLOW_SHA1: 'true',
    SAML_PRIVATE_KEY_NEXT: newSamlKey(),
    SAML_EXTERNAL_URL: 'https://sso.example.com/',
    RATE_LIMIT_HEADER: 'X-Client',
    RATE_LIMIT_SSO: '0',
    SAML_RATE_LIMIT_ASSERTION: '0',
  });
  const idp = openFakeIdp();
  const { id } = (await flow.addProvider(idp)).body;
  const metadata = await fetch(`${flow.url}/sso/saml/metadata?download=true`);
  t.equal(metadata.headers.get('cache-control'), 'public, max-age=60');
  t.match(metadata.headers.get('content-disposition'), /attachment/);
  t.match(await metadata.text(), /cacheDuration="PT1H" entityID="https:\/\/sso\.example\.com\/sso\/saml\/metadata"/);
  const { body } = await flow.call('GET', '/settings');
  t.match(body, { saml_enabled: true, saml_private_key_next_configured: true });
  const own = { acsUrl: 'https://sso.example.com/sso/saml/acs', audience: 'https://sso.example.com/sso/saml/metadata' };
  const landing = await flow.signIn(idp, { provider_id: id }, { ...own, attributes: mail(), algorithm: 'sha1' });
  t.same(refusal(landing), refused('signup_disabled'));
  const unasked = await flow.postResponse({ SAMLResponse: idp.respond({ ...own, attributes: mail() }) });
  t.same(refusal(unasked), refused('validation_failed'));
  for (const path of ['/sso', '/sso/saml/acs']) {
    const answers = [];
    for (let n = 0; n < 31; n++)
      answers.push(
        await fetch(flow.url + path, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'x-client': '203.0.113.9' },
        }).then(({ status }) => status),
      );
    t.equal(answers.filter((status) => status === 429).length, 1, `${path}: a burst of 30`);
    t.equal(answers.at(-1), 429);
  }
});
