/** The scope `organization`: what a client learns of the organization that its user acts for, and how the user chooses it. */
import { decodeJwt } from 'jose';
import {
  addClient,
  authorize,
  consent,
  discover,
  oauthSettings,
  postForm,
  REDIRECT_URI,
  redeem,
  refresh,
  type TestClient,
} from '../support/oauth-client.js';
import { addDeviceClient, beginDevice, pollDevice } from '../support/oauth-device.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import { PageBrowser } from '../support/page-browser.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = {
  ORGANIZATIONS_ENABLED: 'true',
  OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  OAUTH_SERVER_AUTHORIZATION_PATH: '',
  PAGES_ENABLED: 'true',
};
const server = actWith(await openTestServer(t, oauthSettings(settings)));
const { as, join, found, addMember, database } = server;
const SCOPE = 'openid organization';

/** A request of a client. @returns its path for the user */
async function ask(client: TestClient, parameters: Record<string, string | null> = {}): Promise<string> {
  const { location } = await authorize(server, { clientId: client.id, parameters: { scope: SCOPE, ...parameters } });
  const id = location.searchParams.get('authorization_id');
  if (id === null) throw new Error(location.href);
  return `/oauth/authorizations/${id}`;
}

async function allow(client: TestClient, person: Person, path: string, organization_id?: string) {
  const opened = await as(person, 'GET', path);
  const decision = { action: 'approve', ...(organization_id !== undefined && { organization_id }) };
  const target = opened.body.redirect_url ?? (await as(person, 'POST', `${path}/consent`, decision)).body.redirect_url;
  const code = new URL(target).searchParams.get('code');
  return (await redeem(server, client, code ?? '')).body;
}

const userinfo = async (token: string) => (await server.call('GET', '/oauth/userinfo', { bearer: token })).body;

t.test('the metadata says so, with organizations switched on only', async (t) => {
  const on = await discover(server);
  t.ok(on.scopes_supported?.includes('organization'));
  for (const claim of ['org_id', 'org_slug', 'org_name', 'org_roles']) t.ok(on.claims_supported?.includes(claim));
  t.match(on['prompt_values_supported'], ['none', 'login', 'consent', 'select_account', 'select_organization']);
  const off = await openTestServer(t, oauthSettings({ ...settings, ORGANIZATIONS_ENABLED: 'false' }));
  const document = await discover(off);
  t.notOk(document.scopes_supported?.includes('organization'));
  t.notOk(document.claims_supported?.includes('org_id'));
  const client = await addClient(off);
  const scoped = await authorize(off, { clientId: client.id, parameters: { scope: SCOPE } });
  t.equal(scoped.location.searchParams.get('error'), 'invalid_scope');
  const named = await authorize(off, { clientId: client.id, parameters: { organization: 'acme' } });
  t.ok(named.location.searchParams.has('authorization_id'), 'a parameter that is not known here');
});

t.test('one membership: nothing is asked, and the claims are everywhere', async (t) => {
  const [client, owner, person] = [await addClient(server), await join(), await join()];
  const id = await found(owner, 'Acme');
  await addMember(id, person, 'admin');
  const { rows } = await database.admin.query('select slug from organizations where id = $1', [id]);
  const [{ slug }] = rows;
  const path = await ask(client);
  const opened = await as(person, 'GET', path);
  t.match(opened.body, { organizations: [{ id, name: 'Acme', slug }], organization_choice: false });
  const tokens = await allow(client, person, path);
  const claims = { org_id: id, org_slug: slug, org_name: 'Acme', org_roles: ['admin'] };
  t.match(decodeJwt(tokens.id_token), claims);
  t.match(await userinfo(tokens.access_token), claims);
  t.match(readPayload(tokens.access_token), { org_id: id, org_slug: slug, org_roles: ['admin'] });

  const again = await as(person, 'GET', await ask(client));
  t.ok(again.body.redirect_url, 'remembered');
  const always = await as(person, 'GET', await ask(client, { prompt: 'select_organization' }));
  t.match(always.body, { organization_choice: true });
  const without = await allow(client, person, await ask(client, { scope: 'openid' }));
  for (const seen of [decodeJwt(without.id_token), readPayload(without.access_token)]) t.notOk('org_id' in seen);
  t.notOk('org_id' in (await userinfo(without.access_token)));
});

t.test('no membership: the scope says nothing', async (t) => {
  const [client, person] = [await addClient(server), await join()];
  const path = await ask(client);
  t.notOk('organizations' in (await as(person, 'GET', path)).body);
  const tokens = await allow(client, person, path);
  t.notOk('org_id' in decodeJwt(tokens.id_token));
  t.notOk('org_id' in (await userinfo(tokens.access_token)));
});

t.test('several: the user chooses, and a refresh keeps it until the membership ends', async (t) => {
  const [client, person, other] = [await addClient(server), await join(), await join()];
  const [first, second] = [await found(person, 'First'), await found(other, 'Second')];
  const foreign = await found(other, 'Foreign');
  await addMember(second, person);
  const path = await ask(client);
  const opened = (await as(person, 'GET', path)).body;
  t.match(opened, { organization_choice: true, organizations: [{ id: second }, { id: first }] });
  const approve = (organization_id?: string) =>
    as(person, 'POST', `${path}/consent`, {
      action: 'approve',
      ...(organization_id !== undefined && { organization_id }),
    });
  t.match(await approve(), { status: 400, body: { error_code: 'validation_failed' } });
  t.match(await approve(''), { status: 400 });
  for (const id of [foreign, 'x', client.id]) {
    t.match(await approve(id), { status: 403, body: { error_code: 'not_a_member' } }, id);
  }
  const back = await approve(second);
  const code = new URL(back.body.redirect_url).searchParams.get('code')!;
  const tokens = (await redeem(server, client, code)).body;
  t.match(decodeJwt(tokens.id_token), { org_id: second, org_roles: ['member'] });
  const kept = (await refresh(server, client, tokens.refresh_token)).body;
  t.match(readPayload(kept.access_token), { org_id: second });
  const narrow = (await refresh(server, client, kept.refresh_token, { scope: 'openid' })).body;
  t.notOk('org_id' in readPayload(narrow.access_token), 'a token without the scope');
  const whole = (await refresh(server, client, narrow.refresh_token)).body;
  t.match(readPayload(whole.access_token), { org_id: second });

  t.ok('organizations' in (await as(person, 'GET', await ask(client))).body, 'asked again');
  const named = await as(person, 'GET', await ask(client, { organization: second.toUpperCase() }));
  t.ok(named.body.redirect_url, 'remembered for the one that the client names');
  const unknown = (await as(person, 'GET', await ask(client, { organization: first }))).body;
  t.match(unknown, { organizations: [{ id: first }], organization_choice: false }, 'not for the other one');

  // As an organization of before could be named.
  await database.admin.query('update organizations set slug = $2 where id = $1', [first, second]);
  const byId = (await as(person, 'GET', await ask(client, { organization: second, prompt: 'select_organization' })))
    .body;
  t.same(
    byId.organizations.map(({ id }: { id: string }) => id),
    [second],
    'no slug takes the place of an id',
  );

  await as(other, 'DELETE', `/organizations/${second}/members/${person.id}`);
  t.notOk('org_id' in (await userinfo(whole.access_token)), 'at once');
  const ended = (await refresh(server, client, whole.refresh_token)).body;
  t.notOk('org_id' in readPayload(ended.access_token));
  await addMember(second, person);
  const joined = (await refresh(server, client, ended.refresh_token)).body;
  t.notOk('org_id' in readPayload(joined.access_token), 'who joins again allows it again');
});

t.test('the client names one by id or slug; one that is none of the user shows nothing', async (t) => {
  const [client, person, other] = [await addClient(server), await join(), await join()];
  const [own, foreign] = [await found(person, 'Own'), await found(other, 'Theirs')];
  await found(person, 'Own too');
  const { rows } = await database.admin.query('select id, slug from organizations where id = any($1)', [
    [own, foreign],
  ]);
  const slugOf = (id: string): string => rows.find((row) => row.id === id).slug;
  const tokens = await allow(client, person, await ask(client, { organization: slugOf(own) }));
  t.match(decodeJwt(tokens.id_token), { org_id: own });
  for (const organization of [slugOf(foreign), foreign, 'nowhere', "' or true --"]) {
    const path = await ask(client, { organization });
    const refused = {
      status: 403,
      body: { error_code: 'not_a_member', msg: 'The user is not a member of this organization' },
    };
    t.match(await as(person, 'GET', path), refused, organization);
    t.match(await as(person, 'POST', `${path}/consent`, { action: 'approve', organization_id: own }), refused);
    const denied = await as(person, 'POST', `${path}/consent`, { action: 'deny' });
    t.equal(new URL(denied.body.redirect_url).searchParams.get('error'), 'access_denied');
  }
  for (const parameters of [{ organization: 'x'.repeat(101) }, { organization: own, scope: 'openid' }]) {
    const { location } = await authorize(server, { clientId: client.id, parameters: { scope: SCOPE, ...parameters } });
    t.equal(location.searchParams.get('error'), 'invalid_request');
  }
});

t.test('a membership that ends between approval and exchange', async (t) => {
  const [client, owner, person] = [await addClient(server), await join(), await join()];
  const id = await found(owner);
  await addMember(id, person);
  const { location } = await authorize(server, { clientId: client.id, parameters: { scope: SCOPE } });
  const back = await consent(server, { token: person.access }, location);
  await as(owner, 'DELETE', `/organizations/${id}/members/${person.id}`);
  const { body } = await redeem(server, client, back.searchParams.get('code')!);
  t.notOk('org_id' in decodeJwt(body.id_token));
  t.notOk('org_id' in readPayload(body.access_token));
});

t.test('access that was taken back is forgotten for all of them', async (t) => {
  const [client, person] = [await addClient(server), await join()];
  await found(person);
  await allow(client, person, await ask(client));
  t.ok((await as(person, 'GET', await ask(client))).body.redirect_url);
  t.equal((await as(person, 'DELETE', `/user/oauth/grants?client_id=${client.id}`)).status, 204);
  t.notOk((await as(person, 'GET', await ask(client))).body.redirect_url);
});

t.test('a pushed request names one, too', async (t) => {
  const [client, person] = [await addClient(server), await join()];
  const [own] = [await found(person, 'Pushed'), await found(person, 'Not this')];
  const pushed = await postForm(server, '/oauth/par', {
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    organization: own,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'plain',
  });
  t.equal(pushed.status, 201, JSON.stringify(pushed.body));
  const query = new URLSearchParams({ client_id: client.id, request_uri: pushed.body.request_uri });
  const { headers } = await server.call('GET', `/oauth/authorize?${query}`);
  const id = new URL(headers.get('location')!).searchParams.get('authorization_id');
  const { body } = await as(person, 'GET', `/oauth/authorizations/${id}`);
  t.match(body, { organizations: [{ id: own, name: 'Pushed' }], organization_choice: false });
  t.equal(body.organizations.length, 1);
});

t.test('devices', async (t) => {
  const [client, person] = [await addDeviceClient(server), await join()];
  const [own, more] = [await found(person, 'Own'), await found(person, 'More')];
  const decide = (code: string, body: object) => as(person, 'POST', `/oauth/device/${code}/consent`, body);
  const begun = await beginDevice(server, client, { scope: 'organization' });
  const code = begun['user_code']!;
  t.match((await as(person, 'GET', `/oauth/device/${code}`)).body, { organization_choice: true });
  t.match(await decide(code, { action: 'approve' }), { status: 400 });
  t.match(await decide(code, { action: 'approve', organization_id: own }), { status: 200 });
  t.match(readPayload((await pollDevice(server, client, begun['device_code']!)).body.access_token), { org_id: own });
  const named = await beginDevice(server, client, { scope: 'organization', organization: more });
  t.match(await decide(named['user_code']!, { action: 'approve' }), { status: 200 });
  t.match(readPayload((await pollDevice(server, client, named['device_code']!)).body.access_token), { org_id: more });
});

t.test('the page asks which, without scripts', async (t) => {
  const [client, person] = [await addClient(server), await join()];
  const [first, second] = [await found(person, 'Same <b>'), await found(person, 'Same <b>')];
  const { location } = await authorize(server, { clientId: client.id, parameters: { scope: SCOPE } });
  const browser = new PageBrowser(server.url);
  await browser.open(location.pathname + location.search);
  await browser.send(browser.form('/ui/sign-in'), { address: person.email, password, action: 'password' });
  t.match(browser.html, 'See for which organization you use it');
  t.match(browser.html, `<option value="${first}">Same &#60;b&#62; (same-b)</option>`);
  t.match(browser.html, `<option value="${second}">`);
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  t.equal(browser.status, 400);
  t.match(browser.alert, 'Choose the organization');
  await browser.send(browser.form('/ui/consent'), { action: 'approve', organization_id: second });
  const { body } = await redeem(server, client, new URL(browser.onward).searchParams.get('code')!);
  t.match(decodeJwt(body.id_token), { org_id: second, org_name: 'Same <b>' });

  const named = await authorize(server, { clientId: client.id, parameters: { scope: SCOPE, organization: first } });
  await browser.open(named.location.pathname + named.location.search);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.match(browser.html, 'You use it for Same &#60;b&#62;.');
  t.notMatch(browser.html, '<select');
});

t.test('two organizations at the same moment: each session keeps its own', async (t) => {
  const [client, person] = [await addClient(server), await join()];
  const ids = [await found(person, 'One'), await found(person, 'Two')];
  const tokens = await Promise.all(
    ids.map(async (id) => allow(client, person, await ask(client, { organization: id }))),
  );
  t.same(
    tokens.map(({ access_token }) => readPayload(access_token)['org_id']),
    ids,
  );
  const { rows } = await database.admin.query('select organization_ids from oauth_consents where client_id = $1', [
    client.id,
  ]);
  t.same(rows[0].organization_ids.toSorted(), ids.toSorted());
});
