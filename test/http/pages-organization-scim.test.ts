/** Tokens of provisioning on the account page, without scripts. */
import { openAccountPage, pathOf } from '../support/account-page.js';
import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { openHostedServer } from '../support/hosted-server.js';
import { actWith, type Person } from '../support/organizations.js';
import type { PageBrowser } from '../support/page-browser.js';
import { noteSecrets } from '../support/secret-search.js';
import { t } from '../support/tap.js';

const LIST = '/ui/account/organizations';
const DAY_MS = 86_400_000;
const server = await openHostedServer(t, {
  ORGANIZATIONS_ENABLED: 'true',
  SCIM_ENABLED: 'true',
  RATE_LIMIT_ORGANIZATIONS: '100000',
  SECURITY_STEP_UP_MAX_AGE: '1h',
});
const { join, found, addMember } = actWith(server);
const { database, issuer: origin } = server;

const query = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.admin.query(text, values)).rows as Row[];
const visit = ({ email }: Pick<Person, 'email'>, id: string, part = '/scim'): Promise<PageBrowser> =>
  openAccountPage(origin, email, `organizations/${id}${part}`);
const tokensOf = (id: string) =>
  query<{ id: string; name: string; reaches_owners: boolean; expires_at: Date | null }>(
    'select id, name, reaches_owners, expires_at from scim_tokens where scope_id = $1 order by created_at',
    id,
  );
const wrongIn = ({ html }: PageBrowser) =>
  [...html.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([input]) => /name="([^"]+)"/.exec(input)![1]);
const add = (browser: PageBrowser) => browser.form('value="add"');
/** Sends what no form of the page has, with the token of one that it has. */
const post = (browser: PageBrowser, path: string, fields: Record<string, string>) => {
  const form = browser.forms.find((one) => 'form_token' in one.fields)!;
  const action = Object.assign(new URL(form.action), { pathname: path }).href;
  return browser.send({ action, fields: { form_token: form.fields['form_token']! }, html: '' }, fields);
};
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** The base address and the token, as the page has them to be copied. */
function copyFrom({ html }: PageBrowser) {
  const [base = '', token = ''] = [...html.matchAll(/<code class="secret" dir="ltr">([^<]*)</g)].map(
    ([, text]) => text!,
  );
  noteSecrets({ secret: token });
  return { base, token };
}

t.test('a token is made with the address that it is for, shown once, seen in use, and ended', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Provisioned');
  const browser = await visit(owner, id, '');
  await browser.open(browser.link('Provisioning'));
  t.equal(browser.title, 'Provisioning');
  t.match(browser.html, 'There is no token yet.');
  await browser.send(add(browser), { action: 'add', name: ' Entra <ID> ', expires_at: '2020-01-31' });
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['expires_at']);
  t.equal(add(browser).fields['expires_at'], '2020-01-31', 'what was typed is kept');
  await browser.send(add(browser), { action: 'add', name: 'n'.repeat(121), expires_at: '' });
  t.same(wrongIn(browser), ['name']);
  t.same(await tokensOf(id), []);

  const day = dayIn(90);
  await browser.send(add(browser), { action: 'add', name: ' Entra <ID> ', expires_at: day });
  t.equal(browser.status, 200);
  t.equal(browser.title, 'Entra <ID>');
  t.match(browser.html, 'The token is shown only now.');
  const { base, token } = copyFrom(browser);
  t.equal(base, `${origin}/scim/v2`);
  t.match(token, /^lks_/);
  const [made] = await tokensOf(id);
  t.match(made, { name: 'Entra <ID>', reaches_owners: true });
  t.equal(made!.expires_at!.toISOString(), `${day}T23:59:59.000Z`);

  await browser.open(browser.link('I have kept it'));
  t.equal(pathOf(browser), `${LIST}/${id}/scim`);
  t.notMatch(browser.html, token);
  t.notMatch(browser.html, '<ID>');
  t.equal(copyFrom(browser).base, base);
  t.match(browser.html, 'not used yet');
  t.match(browser.html, /expires <time datetime="[^"]+">in 3 months</);
  await query('update scim_tokens set last_used_at = now() where scope_id = $1', id);
  await browser.open(browser.url);
  t.match(browser.html, /last used <time datetime="[^"]+">now</);

  await browser.send(add(browser), { action: 'add', name: '', expires_at: '' });
  t.equal(browser.title, 'Token');
  t.not(copyFrom(browser).token, token);
  await browser.open(browser.link('I have kept it'));
  t.match(browser.html, 'There may be 2 tokens.');
  t.notMatch(browser.html, 'value="add"');
  await post(browser, `${LIST}/${id}/scim`, { action: 'add' });
  t.equal(browser.status, 422);

  const end = browser.form(made!.id);
  await browser.send(end, { action: 'end' });
  t.equal(browser.alert, 'Removed.');
  t.match(await tokensOf(id), [{ name: '' }]);
  await browser.send(end, { action: 'end' });
  t.equal(browser.status, 200, 'a second click is no fault');
  await query("update scim_tokens set expires_at = now() - interval '1 hour' where scope_id = $1", id);
  await browser.open(browser.url);
  t.match(browser.html, '<span class="tag">Expired</span>');
  t.match(browser.html, 'value="add"', 'it makes room');
});

t.test('only who may give what people get by a token makes and ends one', async (t) => {
  const [owner, watcher, member] = [await join(), await join(), await join()];
  const id = await found(owner, 'Above');
  const role = { name: 'directory', permissions: ['scim:manage'] };
  t.equal((await asAdmin(server)('POST', '/admin/organization-roles', role)).status, 201);
  await addMember(id, watcher, 'directory');
  await addMember(id, member);
  const path = `${LIST}/${id}/scim`;
  const owners = await visit(owner, id);
  await owners.send(add(owners), { action: 'add', name: 'Okta', expires_at: '' });
  t.match(copyFrom(owners).token, /^lks_/);
  const before = await tokensOf(id);
  const entry_id = before[0]!.id;

  const watching = await visit(watcher, id);
  t.match(watching.html, 'Okta');
  t.notMatch(watching.html, /value="(?:add|end)"/);
  for (const fields of [
    { action: 'add', name: 'Mine' },
    { action: 'end', entry_id },
  ]) {
    await watching.open(`${LIST}/${id}${new URL(watching.url).search}`);
    await post(watching, path, fields);
    t.equal(watching.status, 403, fields.action);
  }
  const members = await visit(member, id, '');
  t.notMatch(members.html, '/scim?', 'is not offered');
  for (const fields of [
    { action: 'add', name: 'Mine' },
    { action: 'end', entry_id },
  ]) {
    await members.open(`${LIST}/${id}${new URL(members.url).search}`);
    await post(members, path, fields);
    t.equal(members.status, 403, fields.action);
  }
  const stranger = await visit(await join(), await found(await join()), '');
  await post(stranger, path, { action: 'end', entry_id });
  t.equal(pathOf(stranger), LIST);
  t.same(await tokensOf(id), before);
});

t.test('who has a second factor uses it first', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Guarded');
  const session = { access_token: owner.access, refresh_token: owner.refresh, user: null };
  const { id: factor, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  await verifyWith(server, session, factor, app.nextCode());
  const browser = await visit(owner, id);
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), `${LIST}/${id}/scim`);
  const form = add(browser);
  await query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 7200)))
     from jsonb_array_elements(amr) e) where user_id = $1`,
    owner.id,
  );
  await browser.open(browser.url);
  t.notMatch(browser.html, 'value="add"');
  await browser.send(form, { action: 'add', name: 'Okta', expires_at: '' });
  t.equal(pathOf(browser), '/ui/mfa', 'a form that was open before leads there as well');
  t.same(await tokensOf(id), []);
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), `${LIST}/${id}/scim`);
  await browser.send(add(browser), { action: 'add', name: 'Okta', expires_at: '' });
  t.match(copyFrom(browser).token, /^lks_/);
});
