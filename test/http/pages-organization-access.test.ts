/** Who has access to an organization beside its members, on the account page without scripts: identity providers and clients. */
import { openAccountPage, pathOf } from '../support/account-page.js';
import { enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { openClientHost } from '../support/client-host.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { openHostedServer } from '../support/hosted-server.js';
import { postForm } from '../support/oauth-client.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import type { PageBrowser } from '../support/page-browser.js';
import { samlSettings } from '../support/saml-flow.js';
import { noteSecrets } from '../support/secret-search.js';
import { t } from '../support/tap.js';

const LIST = '/ui/account/organizations';
const host = await openClientHost(t, 'idp.openid.example');
const server = await openHostedServer(
  t,
  samlSettings({
    ORGANIZATIONS_ENABLED: 'true',
    OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
    OAUTH_SERVER_MACHINE_ROLES: 'anon',
    RATE_LIMIT_ORGANIZATIONS: '100000',
    SECURITY_STEP_UP_MAX_AGE: '1h',
  }),
  host.internet,
);
const { as, join, found, addMember } = actWith(server);
const { database, issuer: origin } = server;

const query = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.admin.query(text, values)).rows as Row[];
const visit = ({ email }: Pick<Person, 'email'>, id: string, part: string): Promise<PageBrowser> =>
  openAccountPage(origin, email, `organizations/${id}${part}`);
const wrongIn = ({ html }: PageBrowser): string[] =>
  [...html.matchAll(/<(?:input|textarea)[^>]*aria-invalid="true"[^>]*>/g)].map(
    ([input]) => /name="([^"]+)"/.exec(input)![1]!,
  );
/** Sends what no form of the page has, with the token of one that it has. */
const post = (browser: PageBrowser, path: string, fields: Record<string, string>, roles: readonly string[] = []) => {
  const form = browser.forms.find((one) => 'form_token' in one.fields)!;
  const action = Object.assign(new URL(form.action), { pathname: path }).href;
  return browser.send({ action, fields: { form_token: form.fields['form_token']! }, html: '' }, fields, { roles });
};

interface StoredProvider {
  readonly id: string;
  readonly roles: string[];
  readonly role_mapping: object[];
  readonly options: object;
  readonly disabled: boolean | null;
  readonly name_id_format: string | null;
  readonly domains: string[];
}
const providersOf = (id: string) =>
  query<StoredProvider>(
    `select id, roles, role_mapping, options, disabled, name_id_format,
       array(select domain from sso_domains d where d.provider_id = p.id) as domains
     from sso_providers p where organization_id = $1`,
    id,
  );

t.test('an identity provider: what it needs, added, changed with rules, removed', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Signing on');
  await query(
    "insert into organization_domains (organization_id, domain, verified_at) values ($1, 'sso.example', now()), ($1, 'pending.example', null)",
    id,
  );
  const idp = openFakeIdp('idp.sso.example');
  const browser = await visit(owner, id, '/sso');
  t.equal(browser.title, 'Single sign-on');
  for (const needed of ['/sso/saml/metadata', '/sso/saml/acs']) t.match(browser.html, `>${origin}${needed}<`);
  t.notMatch(browser.html, 'pending.example', 'a domain that is not verified is not offered');
  const add = () => browser.form('value="add"');
  t.notMatch(add().html, 'value="owner"', 'no one becomes an owner so');
  const ticked = { domains: ['sso.example'], roles: ['member'] };

  await browser.send(add(), { action: 'add' }, ticked);
  t.equal(browser.status, 400);
  t.equal(browser.alert, 'Enter either the address of the metadata, or the metadata itself.');
  t.same(wrongIn(browser), ['metadata_url', 'metadata_xml']);
  await browser.send(add(), { action: 'add', metadata_url: 'http://idp.sso.example/metadata' }, ticked);
  t.match(browser.alert, 'It must be an https address.');
  t.same(wrongIn(browser), ['metadata_url']);
  t.equal(add().fields['metadata_url'], 'http://idp.sso.example/metadata');
  await browser.send(
    add(),
    { action: 'add', metadata_url: '', metadata_xml: '<b>no metadata</b>', enforced: 'on' },
    ticked,
  );
  t.equal(browser.alert, 'These metadata cannot be used.');
  t.same(wrongIn(browser), ['metadata_xml']);
  t.match(browser.html, 'SAML Metadata ', 'what is wrong with them');
  t.match(add().html, /&#60;b&#62;no metadata&#60;\/b&#62;<\/textarea>/, 'what was typed is kept');
  t.match(add().html, /value="sso\.example" checked/);
  t.match(add().html, /name="enforced" value="on" checked/);
  await browser.send(add(), { action: 'add', metadata_xml: idp.metadata() }, { domains: ['sso.example'] });
  t.same(new Set(wrongIn(browser)), new Set(['roles']), 'who joins has a role');
  t.same(await providersOf(id), []);

  await browser.send(add(), { action: 'add', metadata_xml: idp.metadata() }, ticked);
  t.equal(browser.alert, 'Added.');
  const [made] = await providersOf(id);
  t.match(made, { roles: ['member'], role_mapping: [], domains: ['sso.example'] });
  t.match(browser.html, idp.entityId);
  await browser.send(add(), { action: 'add', metadata_xml: idp.metadata() }, { roles: ['member'] });
  t.equal(browser.status, 422);
  t.equal(browser.alert, 'This identity provider was added before.');

  await query("update sso_providers set name_id_format = 'emailAddress' where id = $1", made!.id);
  const save = () => browser.form('value="save"');
  await browser.send(save(), { action: 'save', disabled: 'on', enforced: 'on' }, { roles: ['member', 'admin'] });
  t.equal(browser.alert, 'Saved.');
  t.match(browser.html, '<span class="tag">Switched off</span>');
  const [saved] = await providersOf(id);
  t.match(saved, { roles: ['admin', 'member'], disabled: true, options: { enforced: true }, domains: [] });
  t.equal(saved!.name_id_format, 'emailAddress', 'what the form does not have stays');
  const other = openFakeIdp('idp.other.example').metadata();
  await browser.send(save(), { action: 'save', metadata_xml: other }, { roles: ['member'] });
  t.equal(browser.alert, 'These are the metadata of another identity provider.');
  t.match(browser.html, /<details open><summary>Change/);

  const map = (attribute: string, value: string, roles: string[]) =>
    browser.send(browser.form('value="map"'), { action: 'map', attribute, value }, { roles });
  await map('groups', ' ', ['admin']);
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['value']);
  await map('groups', '<Staff>', ['admin']);
  await map('groups', 'Guests', ['member']);
  await map('groups', '<Staff>', ['member']);
  t.match((await providersOf(id))[0]!.role_mapping, [
    { attribute: 'groups', value: 'Guests', roles: ['member'] },
    { attribute: 'groups', value: '<Staff>', roles: ['member'] },
  ]);
  t.notMatch(browser.html, '<Staff>');
  await browser.send(browser.form('Remove the rule for groups = Guests'), { action: 'unmap' });
  t.equal((await providersOf(id))[0]!.role_mapping.length, 1);

  const removal = browser.form('value="remove"');
  await browser.send(removal, { action: 'remove' });
  t.equal(browser.alert, 'Removed.');
  t.same(await providersOf(id), []);
  await browser.send(removal, { action: 'remove' });
  t.equal(browser.status, 200, 'a second click is no fault');
});

t.test('a provider of OpenID Connect: added by its issuer, changed with rules, removed', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Open');
  const issuer = host.url('');
  host.publish('/.well-known/openid-configuration', {
    body: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
    },
  });
  const stored = async () =>
    (
      await query<{
        roles: string[];
        role_mapping: object[];
        settings: Record<string, unknown>;
        sealed_secret: string;
      }>('select roles, role_mapping, settings, sealed_secret from custom_providers where organization_id = $1', id)
    )[0];
  const browser = await visit(owner, id, '/sso');
  t.match(browser.html, `>${origin}/callback<`);
  const add = () => browser.form('value="add_openid"');
  const client_secret = 'the secret that the provider gave out';
  noteSecrets({ secret: client_secret });
  const typed = { action: 'add_openid', name: 'Open <login>', issuer, client_id: 'latchkey', client_secret };
  await browser.send(add(), { ...typed, issuer: 'http://idp.openid.example' }, { roles: ['member'] });
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['issuer']);
  t.match(browser.html, /<code dir="ltr" lang="en">issuer /, 'what is wrong with it');
  t.equal(add().fields['client_id'], 'latchkey');
  t.equal(add().fields['client_secret'], '', 'a secret does not come back');
  await browser.send(add(), { ...typed, client_id: ' ' }, { roles: ['member'] });
  t.same(wrongIn(browser), ['client_id']);
  t.equal(await stored(), undefined);
  await browser.send(add(), typed, { roles: ['member'] });
  t.equal(browser.alert, 'Added.');
  t.notMatch(browser.html, '<login>');
  t.match(await stored(), { roles: ['member'], settings: { name: 'Open <login>', issuer, enabled: true } });

  const { sealed_secret } = (await stored())!;
  const save = { action: 'save', name: 'Renamed', issuer: '', client_id: '', client_secret: '', disabled: 'on' };
  await browser.send(browser.form('value="save"'), save, { roles: ['admin'] });
  t.equal(browser.alert, 'Saved.');
  t.match(browser.html, '<span class="tag">Switched off</span>');
  const settings = { name: 'Renamed', issuer, client_id: 'latchkey', enabled: false };
  t.match(await stored(), { roles: ['admin'], settings, sealed_secret });
  const rule = { action: 'map', attribute: 'groups', value: 'Staff' };
  await browser.send(browser.form('value="map"'), rule, { roles: ['member'] });
  t.match((await stored())!.role_mapping, [{ attribute: 'groups', value: 'Staff', roles: ['member'] }]);
  await browser.send(browser.form('Remove the rule for groups = Staff'), { action: 'unmap' });
  t.same((await stored())!.role_mapping, []);
  const removal = browser.form('Remove Renamed');
  await browser.send(removal);
  t.equal(browser.alert, 'Removed.');
  t.equal(await stored(), undefined);
  await browser.send(removal);
  t.equal(browser.status, 200, 'a second click is no fault');
});

t.test('an API key: its secret is shown once, replaced, and ends with the key', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Keys');
  const browser = await visit(owner, id, '/clients');
  t.equal(browser.title, 'API keys and apps');
  const secretOf = () => {
    const values = [...browser.html.matchAll(/<code class="secret" dir="ltr">([^<]*)</g)].map(([, value]) => value!);
    const [client_id = '', secret = '', endpoint = ''] = values;
    noteSecrets({ secret });
    return { client_id, secret, endpoint };
  };
  const tokenOf = async ({ client_id, secret }: ReturnType<typeof secretOf>) => {
    const grant = { grant_type: 'client_credentials', client_id, client_secret: secret };
    const { status, body } = await postForm(server, '/oauth/token', grant);
    return status === 200 ? readPayload(body.access_token) : status;
  };
  const add = () => browser.form('value="add"');
  await browser.send(add(), { action: 'add', client_name: 'Hidden\u202e name' }, { roles: ['admin'] });
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['client_name']);
  t.match(add().html, /value="admin" checked/);
  await browser.send(add(), { action: 'add', client_name: ' Night <import> ' }, { roles: ['member'] });
  t.equal(browser.status, 200);
  t.equal(browser.title, 'Night <import>');
  t.match(browser.html, 'It is shown only now.');
  const first = secretOf();
  t.equal(first.endpoint, `${origin}/oauth/token`);
  t.match(await tokenOf(first), { sub: first.client_id, org_id: id, org_roles: ['member'] });

  await browser.open(browser.link('I have kept it'));
  t.equal(pathOf(browser), `${LIST}/${id}/clients`);
  t.notMatch(browser.html, first.secret);
  t.match(browser.html, first.client_id);
  t.notMatch(browser.html, '<import>');
  const change = () => browser.form('value="change"');
  await browser.send(change(), { action: 'change', client_name: 'Import' }, { roles: ['admin'] });
  t.equal(browser.alert, 'Saved.');
  t.match(await tokenOf(first), { org_roles: ['admin'] });
  await browser.send(browser.form('value="renew"'), { action: 'renew' });
  const second = secretOf();
  t.equal(second.client_id, first.client_id);
  t.equal(await tokenOf(first), 401);
  t.match(await tokenOf(second), { org_roles: ['admin'] });
  await browser.open(browser.link('I have kept it'));
  const removal = browser.form('value="remove"');
  await browser.send(removal, { action: 'remove' });
  t.equal(browser.alert, 'Removed.');
  t.equal(await tokenOf(second), 401);
  await browser.send(removal, { action: 'remove' });
  t.equal(browser.status, 200, 'a second click is no fault');
});

t.test('a key with more than the own roles is neither offered, nor made, changed or taken over', async (t) => {
  const [owner, admin, member] = [await join(), await join(), await join()];
  const id = await found(owner, 'Above');
  await addMember(id, admin, 'admin');
  await addMember(id, member);
  const path = `${LIST}/${id}/clients`;
  const owners = await visit(owner, id, '/clients');
  await owners.send(owners.form('value="add"'), { action: 'add', client_name: 'All' }, { roles: ['owner'] });
  t.match(owners.html, 'It is shown only now.');
  const state = () =>
    query('select id, name, org_roles, secret_hash from oauth_clients where organization_id = $1 order by id', id);
  const before = await state();
  const entry_id = (before[0] as { id: string }).id;

  const browser = await visit(admin, id, '/clients');
  t.match(browser.html, entry_id);
  t.notMatch(browser.html, 'value="owner"');
  t.notMatch(browser.html, /value="(?:change|renew|remove)"/);
  for (const action of ['change', 'renew', 'remove']) {
    await post(browser, path, { action, entry_id, client_name: 'Mine' }, ['member']);
    t.equal(browser.status, 403, action);
    t.match(browser.html, 'Only an owner can make, change or remove owners.', action);
  }
  await post(browser, path, { action: 'add', client_name: 'Mine' }, ['owner']);
  t.equal(browser.status, 403);
  const sso = `${LIST}/${id}/sso`;
  const metadata_xml = openFakeIdp('idp.above.example').metadata();
  await post(browser, sso, { action: 'add', metadata_xml }, ['owner']);
  t.equal(browser.status, 400);

  const members = await visit(member, id, '');
  for (const [part, fields] of [
    ['clients', { action: 'add', client_name: 'Mine' }],
    ['clients', { action: 'renew', entry_id }],
    ['sso', { action: 'add', metadata_xml }],
  ] as const) {
    t.notMatch(members.html, `/${part}?`, 'is not offered');
    await members.open(`${LIST}/${id}/${part}${new URL(members.url).search}`);
    t.equal(pathOf(members), `${LIST}/${id}`, part);
    await post(members, `${LIST}/${id}/${part}`, fields, ['member']);
    t.equal(members.status, 403, part);
    t.equal(pathOf(members), `${LIST}/${id}/${part}`);
    await members.open(`${LIST}/${id}`);
  }
  const stranger = await visit(await join(), await found(await join()), '');
  await post(stranger, path, { action: 'renew', entry_id });
  t.equal(pathOf(stranger), LIST);
  t.same(await state(), before);
  t.same(await providersOf(id), []);
});

t.test('who has a second factor uses it first, before anything is typed', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Guarded');
  const session = { access_token: owner.access, refresh_token: owner.refresh, user: null };
  const { id: factor, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  await verifyWith(server, session, factor, app.nextCode());
  const age = () =>
    query(
      `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 7200)))
       from jsonb_array_elements(amr) e) where user_id = $1`,
      owner.id,
    );
  const browser = await visit(owner, id, '/sso');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), `${LIST}/${id}/sso`);
  const add = browser.form('value="add"');
  await age();
  await browser.open(browser.url);
  t.notMatch(browser.html, 'value="add"');
  const raise = browser.form('Use the second step');
  const metadata_xml = openFakeIdp('idp.guarded.example').metadata();
  await browser.send(add, { action: 'add', metadata_xml }, { roles: ['member'] });
  t.equal(pathOf(browser), '/ui/mfa', 'a form that was open before leads there as well');
  t.same(await providersOf(id), []);
  await browser.send(raise);
  t.equal(pathOf(browser), '/ui/mfa');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), `${LIST}/${id}/sso`);
  await browser.send(browser.form('value="add"'), { action: 'add', metadata_xml }, { roles: ['member'] });
  t.equal(browser.alert, 'Added.');

  const pages = { policies: 'name="require_aal2"', invitations: 'value="owner"', domains: 'name="auto_join"' };
  await as(owner, 'POST', `/organizations/${id}/domains`, { domain: 'guarded.example.com' });
  for (const [part, field] of Object.entries(pages)) {
    await browser.open(`${LIST}/${id}/${part}`);
    t.ok(browser.html.includes(field), `${part}: raised`);
    t.notMatch(browser.html, 'Use the second step');
  }
  await age();
  for (const [part, field] of Object.entries(pages)) {
    await browser.open(`${LIST}/${id}/${part}`);
    t.notOk(browser.html.includes(field), `${part}: not raised`);
    t.match(browser.html, 'Use the second step');
  }
  await browser.open(`${LIST}/${id}/members`);
  t.match(browser.html, 'Use the second step');
});
