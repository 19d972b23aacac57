/** Ways around the sign-in at companies: to other accounts, to sessions that have ended, to addresses that belong there. */
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/external-flow.js';
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { asQuery, writeLogoutRequest } from '../support/fake-saml-logout.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  redeem,
  refresh,
  signInToClient,
  type TestClient,
} from '../support/oauth-client.js';
import { expectedOf, openSamlFlow } from '../support/saml-flow.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { makeSolanaWallet, walletSettings } from '../support/wallets.js';

const beforeCreation = await openHookReceiver(t, () => ({}));
const flow = await openSamlFlow(t, {
  ...hookSettingsOf('BEFORE_USER_CREATED', beforeCreation.url),
  ...oauthSettings(),
  ...walletSettings,
  RATE_LIMIT_SSO: '1000',
  SAML_RATE_LIMIT_ASSERTION: '1000',
  SECURITY_MANUAL_LINKING_ENABLED: 'true',
  EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
});
const { call, post } = flow;
const admin = asAdmin(flow);
let companies = 0;

async function openCompany(fields: object = {}) {
  const name = `company-${++companies}.example`;
  const idp = openFakeIdp(`idp.${name}`);
  const metadata_xml = idp.metadata({ slo: ['HTTP-Redirect'] });
  const { body } = await flow.addProvider(idp, { domains: [name], metadata_xml, ...fields });
  const signIn = async (person: string, more: object = {}) => {
    const options = {
      nameId: { value: person, format: PERSISTENT },
      attributes: { mail: `${person}@${name}` },
      ...more,
    };
    const { fragment } = await flow.signIn(idp, { domain: name }, options);
    const token = fragment.get('access_token')!;
    return {
      id: claimsOf(token)['sub'] as string,
      email: `${person}@${name}`,
      token,
      refreshToken: fragment.get('refresh_token')!,
    };
  };
  const isAlive = async ({ token }: { token: string }) =>
    (await flow.database.admin.query('select from sessions where id = $1', [claimsOf(token)['session_id']]))
      .rowCount === 1;
  return { name, idp, id: body.id as string, path: `/admin/sso/providers/${body.id}`, signIn, isAlive };
}

const approve = async (person: { token: string }, client: TestClient): Promise<string> => {
  const { location } = await authorize(flow, { clientId: client.id });
  return (await consent(flow, person, location)).searchParams.get('code')!;
};
const sendLogout = (query: string) => fetch(`${flow.url}/sso/saml/slo?${query}`, { redirect: 'manual' });

t.test('the message that is read from a query is the one that is signed', async (t) => {
  const company = await openCompany();
  const ann = await company.signIn('ann');
  const { key } = company.idp;
  const forged = asQuery('SAMLRequest', writeLogoutRequest(company.idp, { nameId: 'ann' }), {});
  const spellings = [forged, forged.replace('SAMLRequest', 'SAMLReques%74'), `${forged}&RelayState=1`];
  for (const spelling of spellings) {
    for (const isFirst of [true, false]) {
      const signed = asQuery('SAMLRequest', writeLogoutRequest(company.idp, { nameId: 'mallory' }), { key });
      const answer = await sendLogout(isFirst ? `${spelling}&${signed}` : `${signed}&${spelling}`);
      t.equal(answer.status, 400, 'a parameter is repeated');
      t.ok(await company.isAlive(ann), `${spelling.slice(0, 20)} ${isFirst}`);
    }
  }
  const respelled = asQuery('SAMLRequest', writeLogoutRequest(company.idp, { nameId: 'ann' }), {
    key,
    relayState: 'a',
  });
  const other = respelled.replace('RelayState=a', 'RelayStat%65=b');
  t.match((await sendLogout(other)).headers.get('location'), /error_code=/, 'another RelayState than the signed one');
  t.ok(await company.isAlive(ann));
  await sendLogout(respelled.replace('RelayState', 'RelayStat%65'));
  t.notOk(await company.isAlive(ann), 'names may be spelled otherwise');
});

t.test('an account of a company gets no other way to sign in', async (t) => {
  const company = await openCompany();
  const person = await company.signIn('ann');
  const wallet = makeSolanaWallet();
  const refused = { status: 422, body: { error_code: 'user_sso_managed' } };
  const { token: bearer } = person;
  t.match(await call('POST', '/user/identities/web3', { bearer, body: wallet.body() }), refused);
  const query = 'provider=github&skip_http_redirect=true&code_challenge_method=plain&code_challenge='.padEnd(140, 'a');
  t.match(await call('GET', `/user/identities/authorize?${query}`, { bearer }), refused);
  const linking = { bearer, body: { provider: 'google', id_token: 'x', link_identity: true } };
  t.match(await call('POST', '/token?grant_type=id_token', linking), refused);
  const changes = [{ password: 'another password' }, { email: 'ann@home.example' }, { phone: '4915112345678' }];
  for (const body of changes) t.match(await call('PUT', '/user', { bearer, body }), refused);
});

t.test('a client of the OAuth server loses what the company ends', async (t) => {
  const client = await addClient(flow, { grant_types: ['authorization_code', 'refresh_token'] });
  const company = await openCompany();
  for (const [how, end] of Object.entries({
    disabled: () => admin('PUT', company.path, { disabled: true }),
    'log-out': () =>
      sendLogout(asQuery('SAMLRequest', writeLogoutRequest(company.idp, { nameId: 'ann' }), { key: company.idp.key })),
    deleted: () => admin('DELETE', company.path),
  })) {
    await admin('PUT', company.path, { disabled: false });
    const person = await company.signIn('ann');
    const { body } = await signInToClient(flow, person, client);
    t.ok(body.refresh_token, how);
    const code = await approve(person, client);
    await end();
    t.equal((await refresh(flow, client, body.refresh_token)).status, 400, how);
    t.match(await redeem(flow, client, code), { status: 400, body: { error: 'invalid_grant' } }, `${how}, code`);
  }
});

t.test('a session of a client lasts no longer than that of the person, and is its own', async (t) => {
  const client = await addClient(flow, { grant_types: ['authorization_code', 'refresh_token'] });
  const company = await openCompany();
  const sessionNotOnOrAfter = new Date(Date.now() + 600_000).toISOString();
  const person = await company.signIn('ann', { sessionNotOnOrAfter });
  const { body } = await signInToClient(flow, person, client);
  const bearer = body.access_token as string;
  const [{ not_after: end }] = (
    await flow.database.admin.query('select not_after from sessions where id = $1', [claimsOf(bearer)['session_id']])
  ).rows as [{ not_after: Date }];
  t.equal(end.toISOString(), sessionNotOnOrAfter);
  t.equal((await call('POST', '/logout?scope=local', { bearer })).status, 204, 'it cannot sign the person out there');
  t.match((await call('POST', '/logout?scope=local', { bearer: person.token })).body, { sso_logout_url: /^https:/ });
});

t.test('a session that moved in has no name at the company', async (t) => {
  const company = await openCompany();
  const person = await company.signIn('ann');
  await flow.database.admin.query('update sessions set saml = null where user_id = $1', [person.id]);
  t.equal((await call('POST', '/logout', { bearer: person.token })).status, 204);
});

t.test('an address of a company is not taken without a code, either', async (t) => {
  const company = await openCompany({ enforced: true });
  const refused = { status: 422, body: { error_code: 'sso_required', provider_id: company.id } };
  const [known, unknown] = [`boss@${company.name}`, `nobody@${company.name}`];
  await until(async () => (await post('/signup', { email: unknown, password })).status === 422);
  await admin('POST', '/admin/users', { email: known, email_confirm: true });
  const { body: guest } = await post('/signup', {});
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  for (const email of [known, unknown]) {
    for (const { access_token: bearer } of [guest, person]) {
      t.match(await call('PUT', '/user', { bearer, body: { email } }), refused, email);
    }
    for (const type of ['signup', 'magiclink', 'recovery', 'invite']) {
      t.match(await admin('POST', '/admin/generate_link', { type, email, password }), refused, `${type} ${email}`);
    }
  }
  const change = { type: 'email_change_new', email: person.user.email, new_email: unknown };
  t.match(await admin('POST', '/admin/generate_link', change), refused);
});

t.test('a provider that ends while a sign-in waits for a hook has no session', async (t) => {
  const company = await openCompany();
  const ends: readonly (() => Promise<unknown>)[] = [
    () => admin('PUT', company.path, { disabled: true }),
    () => admin('DELETE', company.path),
  ];
  for (const [at, end] of ends.entries()) {
    const started = await flow.begin(company.idp, { provider_id: company.id });
    const SAMLResponse = company.idp.respond({
      ...expectedOf(started.id),
      nameId: { value: `late-${at}`, format: PERSISTENT },
      attributes: { mail: `late-${at}@${company.name}` },
    });
    beforeCreation.answer = async () => {
      await end();
      return {};
    };
    const landing = await flow.postResponse({ SAMLResponse, RelayState: started.relayState });
    t.match(landing.query.get('error_code'), 'sso_provider_disabled');
    const left = 'select from sessions where sso_provider_id = $1';
    t.equal((await flow.database.admin.query(left, [company.id])).rowCount, 0);
    beforeCreation.answer = () => ({});
    await admin('PUT', company.path, { disabled: false });
  }
});

t.test('an account that is linked takes no address from its company', async (t) => {
  const company = await openCompany();
  const email = freshEmail();
  const { body: account } = await post('/signup', { email, password });
  const { id } = account.user;
  await admin('PUT', `/admin/users/${id}`, { email_confirm: true });
  await admin('POST', `/admin/users/${id}/sso_identity`, { provider_id: company.id, subject: 'mallory' });
  const victim = freshEmail();
  const { token: bearer } = await company.signIn('mallory', { attributes: { mail: victim } });
  const { body: linked } = await call('GET', '/user', { bearer });
  t.match(linked, { id, email, user_metadata: { email, email_verified: true } });
  const own = linked.identities.find(({ provider }: { provider: string }) => provider === 'email');
  t.equal((await call('DELETE', `/user/identities/${own.identity_id}`, { bearer })).status, 200);
  const { body: left } = await admin('GET', `/admin/users/${id}`);
  t.equal(left.email, '', 'it has none now');
  t.equal((await post('/signup', { email: victim, password })).status, 200, 'whose it is can sign up');
});
