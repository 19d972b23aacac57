/** Organizations on the account page, without scripts: what members do there, and what their roles keep from them. */
import { openAccountPage, pathOf } from '../support/account-page.js';
import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openDns, type Zone } from '../support/dns-server.js';
import { openOrganizationServer, type Person, readPayload } from '../support/organizations.js';
import type { PageBrowser } from '../support/page-browser.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const LIST = '/ui/account/organizations';
const zone: Zone = {};
const server = await openOrganizationServer(t, {
  PAGES_ENABLED: 'true',
  PAGES_ACCOUNT_DELETION_ENABLED: 'true',
  DNS_SERVERS: await openDns(t, zone),
  RATE_LIMIT_ORGANIZATIONS: '100000',
  SECURITY_STEP_UP_MAX_AGE: '1h',
});
const { join, found, addMember, url, database } = server;

const query = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.admin.query(text, values)).rows as Row[];
const rolesOf = async (id: string, person: Pick<Person, 'id'>): Promise<string[] | undefined> =>
  (
    await query<{ roles: string[] }>(
      'select roles from organization_members where organization_id = $1 and user_id = $2',
      id,
      person.id,
    )
  )[0]?.roles;
const exists = async (id: string) => (await query('select from organizations where id = $1', id)).length === 1;

/** A browser on a page of an organization. */
const visit = ({ email }: Pick<Person, 'email'>, id = '', part = ''): Promise<PageBrowser> =>
  openAccountPage(url, email, ['organizations', id, part].filter((one) => one !== '').join('/'));

/** Sends what no form of the page has, with the token of one that it has. */
const post = (browser: PageBrowser, path: string, fields: Record<string, string>, roles: readonly string[] = []) => {
  const form = browser.forms.find((form) => 'form_token' in form.fields)!;
  const { form_token = '' } = form.fields;
  const action = Object.assign(new URL(form.action), { pathname: path }).href;
  return browser.send({ action, fields: { form_token }, html: '' }, fields, roles.length === 0 ? {} : { roles });
};

const wrongIn = ({ html }: PageBrowser): string[] =>
  [...html.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([input]) => /name="([^"]+)"/.exec(input)![1]!);

t.test('created, in a list, used and not used any more', async (t) => {
  const owner = await join();
  const browser = await visit(owner);
  t.match(browser.html, 'You belong to no organization yet.');
  const create = () => browser.form('value="create"');

  await browser.send(create(), { action: 'create', name: ' ', slug: 'blank-name' });
  t.equal(browser.status, 400);
  t.equal(browser.alert, 'The name needs 1 to 100 characters.');
  t.same(wrongIn(browser), ['name']);
  t.equal(create().fields['slug'], 'blank-name', 'what was typed is kept');
  await browser.send(create(), { action: 'create', name: 'Atna', slug: 'admin' });
  t.same(wrongIn(browser), ['slug']);

  const name = '<b>Ätna</b> & "Co"';
  await browser.send(create(), { action: 'create', name, slug: '' });
  t.equal(browser.alert, 'Added.');
  t.equal(browser.title, name);
  t.notMatch(browser.html, '<b>');
  const id = pathOf(browser).split('/').at(-1)!;
  t.same(await rolesOf(id, owner), ['owner']);
  t.match(browser.html, /b-atna-b-co/);

  await browser.open(browser.link('All organizations'));
  t.notMatch(browser.html, '<b>');
  await browser.send(create(), { action: 'create', name: 'Other', slug: 'b-atna-b-co' });
  t.equal(browser.status, 409);
  t.match(browser.alert, 'Another organization has this short name.');
  t.same(wrongIn(browser), ['slug']);

  const active = () =>
    query('select organization_id as id from sessions where user_id = $1 and organization_id = $2', owner.id, id);
  t.same(await active(), [], 'a new one is not used by itself');
  await browser.send(browser.form(`Use ${escaped(name)}`));
  t.equal(pathOf(browser), LIST);
  t.match(browser.html, 'In use');
  t.equal((await active()).length, 1, 'in this browser alone');
  await browser.send(browser.form('Stop using'));
  t.notMatch(browser.html, 'In use');
  t.same(await active(), []);
});

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

t.test('a form that is sent twice makes one organization', async (t) => {
  const owner = await join();
  const browser = await visit(owner);
  const form = browser.form('value="create"');
  const fields = { action: 'create', name: 'Twice' };
  const [tab, other] = [await browser.openTab(), await browser.openTab()];
  await Promise.all([tab.send(form, fields), other.send(form, fields)]);
  await browser.send(form, fields);
  const made = await query<{ id: string }>("select id from organizations where name = 'Twice'");
  t.equal(made.length, 1);
  for (const one of [tab, other, browser]) t.equal(pathOf(one), `${LIST}/${made[0]?.id}`);
  await browser.send(form, { ...fields, name: 'Another' });
  t.equal(browser.title, 'Another', 'another name is another organization');
  const stranger = await visit(await join());
  await stranger.send(stranger.form('value="create"'), { ...fields, entry_id: made[0]!.id });
  t.equal(stranger.title, 'Twice');
  t.not(pathOf(stranger), `${LIST}/${made[0]?.id}`, 'nor does the id of another one lead there');
});

t.test('applications that are signed in to from there act for the one in use', async (t) => {
  const [member, owner] = [await join(), await join()];
  const ids = [await found(owner, 'First'), await found(owner, 'Second')];
  for (const id of ids) await addMember(id, member);
  const browser = await visit(member);
  const code = { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' };
  const claimsAfter = async (challenge: Record<string, string>) => {
    const parameters = { provider: 'custom:hosted', redirect_to: 'http://localhost:3000/', ...challenge };
    await browser.open(`${url}/authorize?${new URLSearchParams(parameters)}`);
    await browser.send(browser.form(`Continue as ${member.email}`), { action: 'choose' });
    const { searchParams, hash } = new URL(browser.onward);
    const auth_code = searchParams.get('code');
    const token =
      auth_code === null
        ? new URLSearchParams(hash.slice(1)).get('access_token')
        : (await server.post('/token?grant_type=pkce', { auth_code, code_verifier: 'a'.repeat(43) })).body.access_token;
    return readPayload(token);
  };
  for (const challenge of [code, {}]) t.notOk('org_id' in (await claimsAfter(challenge)), 'none of several is guessed');
  await browser.open(LIST);
  await browser.send(browser.form('Use First'));
  for (const challenge of [code, {}]) t.match(await claimsAfter(challenge), { org_id: ids[0], org_roles: ['member'] });
  await query('delete from organization_members where organization_id = $1 and user_id = $2', ids[0], member.id);
  await addMember(await found(owner, 'Third'), member);
  for (const challenge of [code, {}]) t.notOk('org_id' in (await claimsAfter(challenge)), 'a member who was removed');
});

t.test('a long list has pages', async (t) => {
  const member = await join();
  const owner = await join();
  for (let n = 0; n < 10; n++) {
    for (const name of [`Left ${n}`, `Right ${n}`]) {
      const { body } = await asAdmin(server)('POST', '/admin/organizations', { name, owner_id: (await join()).id });
      await addMember(body.id, member);
    }
  }
  await addMember(await found(owner, 'Newest'), member);
  const browser = await visit(member);
  const names = () => [...browser.html.matchAll(/<strong><a [^>]*><bdi>([^<]*)/g)].map(([, name]) => name);
  const first = names();
  t.equal(first.length, 20);
  t.equal(first[0], 'Newest');
  await browser.open(browser.link('Show more'));
  t.same(names(), ['Left 0']);
  t.notMatch(browser.html, 'Show more');
});

t.test('who is not signed in signs in first, and comes back to the page', async (t) => {
  const owner = await join();
  const id = await found(owner);
  const browser = await visit(owner, id, 'members');
  t.equal(pathOf(browser), `${LIST}/${id}/members`);
  t.equal(browser.title, 'Members');
  for (const wrong of ['none', `${id}x`]) {
    await browser.open(`${LIST}/${wrong}`);
    t.equal(pathOf(browser), LIST, wrong);
  }
});

t.test('members are found, get other roles and are removed', async (t) => {
  const owner = await join();
  const [ann, ben] = [await join(), await join()];
  await query(`update users set user_metadata = '{"name": "<i>Ann</i> Aardvark"}' where id = $1`, ann.id);
  const id = await found(owner);
  await addMember(id, ann);
  await addMember(id, ben);
  const browser = await visit(owner, id, 'members');
  for (const { email } of [owner, ann, ben]) t.match(browser.html, email);
  t.notMatch(browser.html, '<i>');

  const search = new URL(`${url}${LIST}/${id}/members${new URL(browser.url).search}`);
  search.searchParams.set('search', '<I>ann');
  await browser.open(search.href);
  t.match(browser.html, ann.email);
  t.notMatch(browser.html, ben.email);
  await browser.open(browser.link('All members'));

  const formsOf = (person: Person) => browser.forms.filter(({ fields }) => fields['user_id'] === person.id);
  const rolesForm = (person: Person) => formsOf(person).find(({ html }) => html.includes('value="roles"'))!;
  await browser.send(rolesForm(ann), { action: 'roles' }, { roles: ['admin', 'member'] });
  t.equal(browser.alert, 'Saved.');
  t.same(await rolesOf(id, ann), ['admin', 'member']);
  await browser.send(rolesForm(ann), { action: 'roles' });
  t.equal(browser.status, 400, 'a member has a role');
  t.same(new Set(wrongIn(browser)), new Set(['roles']));
  await browser.send(rolesForm(owner), { action: 'roles' }, { roles: ['member'] });
  t.equal(browser.status, 409);
  t.match(browser.alert, 'Make another member an owner first.');
  await browser.send(rolesForm(ben), { action: 'roles' }, { roles: ['none'] });
  t.equal(browser.status, 404);
  t.equal(browser.alert, 'This role does not exist any more.');

  const removal = formsOf(ben).find(({ fields }) => fields['action'] === 'remove')!;
  await browser.send(removal);
  t.equal(browser.alert, 'Removed.');
  t.equal(await rolesOf(id, ben), undefined);
  await browser.send(removal);
  t.equal(browser.status, 200, 'a second click is no fault');
  t.equal(formsOf(owner).length, 1, 'oneself is not removed here');
});

t.test('leaving, the last owner, and the end of an organization', async (t) => {
  const owner = await join();
  const ann = await join();
  const id = await found(owner, 'Leaving');
  await addMember(id, ann);
  const annes = await visit(ann, id);
  await annes.send(annes.form('value="leave"'));
  t.equal(pathOf(annes), LIST);
  t.equal(annes.alert, 'You have left the organization.');
  t.equal(await rolesOf(id, ann), undefined);
  await annes.open(`${LIST}/${id}/members`);
  t.equal(annes.alert, 'You are not a member of this organization.');
  t.notMatch(annes.html, 'Leaving');

  const browser = await visit(owner, id);
  t.match(browser.html, 'You are its only owner.');
  t.notMatch(browser.html, 'value="leave"');
  await post(browser, `${LIST}/${id}`, { action: 'leave' });
  t.equal(browser.status, 409);
  t.same(await rolesOf(id, owner), ['owner']);

  for (const [name, slug, field, reason] of [
    ['Left', 'gmail.com', 'slug', 'The short name needs 3 to 63'],
    ['Left', 'admin', 'slug', 'This short name is reserved.'],
    ['Left', '0b0f9dd7-6d4f-4d1c-9b0e-1d9a3a0c8f11', 'slug', 'The short name looks like an id.'],
    ['\u200b', 'leaving', 'name', 'The name needs a character that can be seen.'],
    ['a\u202eb', 'leaving', 'name', 'The name has characters that cannot be shown.'],
  ] as const) {
    await browser.send(browser.form('value="save"'), { action: 'save', name, slug });
    t.equal(browser.status, 400);
    t.match(browser.alert, reason, slug);
    t.same(wrongIn(browser), [field], slug);
  }
  await browser.send(browser.form('value="save"'), { action: 'save', name: 'Left', slug: 'left-behind' });
  t.equal(browser.alert, 'Saved.');
  t.equal(browser.title, 'Left');
  await browser.send(browser.form('value="delete"'), { action: 'delete', slug: 'leaving' });
  t.equal(browser.status, 400);
  t.equal(browser.alert, 'What you typed is not the short name of this organization.');
  t.ok(await exists(id));
  await browser.send(browser.form('value="delete"'), { action: 'delete', slug: 'left-behind' });
  t.equal(pathOf(browser), LIST);
  t.equal(browser.alert, 'Removed.');
  t.notOk(await exists(id));
});

t.test('a second factor that is too old is asked for again, and leads back', async (t) => {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const owner = { id: session.user.id, email, access: session.access_token, refresh: session.refresh_token };
  const id = await found(owner, 'Guarded');
  const { id: factor, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  await verifyWith(server, session, factor, app.nextCode());
  const browser = await visit(owner, id);
  t.equal(pathOf(browser), '/ui/mfa');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), `${LIST}/${id}`);
  await query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 7200)))
     from jsonb_array_elements(amr) e) where user_id = $1`,
    owner.id,
  );
  await browser.send(browser.form('value="delete"'), { action: 'delete', slug: 'guarded' });
  t.equal(pathOf(browser), '/ui/mfa');
  t.ok(await exists(id));
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), `${LIST}/${id}`);
  await browser.send(browser.form('value="delete"'), { action: 'delete', slug: 'guarded' });
  t.notOk(await exists(id));
});

t.test('invitations: sent, refused and withdrawn', async (t) => {
  const [owner, admin] = [await join(), await join()];
  const id = await found(owner, 'Inviting');
  await addMember(id, admin, 'admin');
  const pending = () =>
    query<{ email: string; roles: string[] }>(
      "select email, roles from organization_invitations where organization_id = $1 and state = 'pending'",
      id,
    );
  const browser = await visit(admin, id, 'invitations');
  t.notMatch(browser.html, 'value="owner"', 'a role above the own ones is not offered');
  const invite = () => browser.form('value="invite"');
  await browser.send(invite(), { action: 'invite', email: 'no address' }, { roles: ['member'] });
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['email']);
  await browser.send(invite(), { action: 'invite', email: owner.email }, { roles: ['member'] });
  t.equal(browser.status, 409);
  t.equal(browser.alert, 'This person is a member already.');
  await browser.send(invite(), { action: 'invite', email: 'new@example.com' }, { roles: ['owner'] });
  t.equal(browser.status, 403);
  t.equal(browser.alert, 'Only an owner can make, change or remove owners.');
  await browser.send(invite(), { action: 'invite', email: 'new@example.com' });
  t.equal(browser.status, 400, 'an invitation has a role');
  t.same(await pending(), []);
  await browser.send(invite(), { action: 'invite', email: ' New@example.com ' }, { roles: ['admin', 'member'] });
  t.equal(browser.alert, 'Invited.');
  t.same(await pending(), [{ email: 'new@example.com', roles: ['admin', 'member'] }]);

  const formOf = () => browser.form('Withdraw the invitation of new@example.com');
  await browser.send(formOf(), { action: 'resend' });
  t.equal(browser.alert, 'The invitation is sent again, with a new link.');
  t.equal(
    (await query("select from audit_log where payload ->> 'action' = 'organization.invitation_resent'")).length,
    1,
  );
  const withdrawal = formOf();
  const stranger = await join();
  const other = await visit(stranger, await found(stranger, 'Elsewhere'), 'invitations');
  await post(other, pathOf(other), { action: 'revoke', entry_id: withdrawal.fields['entry_id']! });
  t.equal((await pending()).length, 1, 'that of another organization stays');
  await browser.send(withdrawal, { action: 'revoke' });
  t.equal(browser.alert, 'The invitation is withdrawn.');
  t.same(await pending(), []);
  await browser.send(withdrawal, { action: 'revoke' });
  t.equal(browser.status, 200, 'a second click is no fault');
});

t.test('domains: added, shown to be the own one, removed', async (t) => {
  const owner = await join();
  const browser = await visit(owner, await found(owner), 'domains');
  await browser.send(browser.form('value="add"'), { action: 'add', domain: 'gmail.com' });
  t.equal(browser.status, 400);
  t.same(wrongIn(browser), ['domain']);
  await browser.send(browser.form('value="add"'), { action: 'add', domain: 'Pages.example' });
  t.equal(browser.alert, 'Added.');
  t.match(browser.html, 'Not verified');
  const value = /latchkey-domain=[0-9a-f]{32}/.exec(browser.html)![0];
  zone['_latchkey.pages.example'] = { txt: ['<u>something else</u>'] };
  await browser.send(browser.form('Check the record of pages.example'));
  t.equal(browser.status, 422);
  t.match(browser.alert, 'The record is not there yet.');
  t.match(browser.html, escaped('<u>something else</u>'), 'what was found');
  zone['_latchkey.pages.example'] = { txt: [value] };
  await browser.send(browser.form('Check the record of pages.example'));
  t.equal(browser.alert, 'The domain is verified.');
  t.notMatch(browser.html, value);
  await browser.send(browser.form('Remove pages.example'));
  t.equal(browser.alert, 'Removed.');
  t.same(await query("select from organization_domains where domain = 'pages.example'"), []);
});

t.test('what a member may not do is not offered, and refused when it is sent', async (t) => {
  const [owner, target] = [await join(), await join()];
  const people = { stranger: await join(), member: await join(), admin: await join() };
  const id = await found(owner, 'Secret name');
  await addMember(id, target);
  await addMember(id, people.member);
  await addMember(id, people.admin, 'admin');
  const state = async () => [
    await query('select name, slug from organizations where id = $1', id),
    await query('select user_id, roles from organization_members where organization_id = $1 order by user_id', id),
    await query('select email from organization_invitations where organization_id = $1', id),
    await query('select domain, auto_join, roles from organization_domains where organization_id = $1', id),
    await query('select policies from organizations where id = $1', id),
  ];
  await query("insert into organization_domains (organization_id, domain) values ($1, 'old.example')", id);
  const before = await state();
  const pages: Readonly<Record<string, readonly string[]>> = {
    '': ['member', 'admin'],
    members: ['member', 'admin'],
    invitations: ['admin'],
    domains: ['admin'],
    policies: ['admin'],
    sso: ['admin'],
    // The OAuth server is off.
    clients: [],
  };
  const refused: readonly (readonly [string, Record<string, string>, readonly string[], readonly string[]])[] = [
    ['', { action: 'save', name: 'Other', slug: 'other-slug' }, [], ['stranger', 'member']],
    ['', { action: 'delete', slug: 'secret-name' }, [], ['stranger', 'member', 'admin']],
    ['/members', { action: 'roles', user_id: target.id }, ['admin'], ['stranger', 'member']],
    ['/members', { action: 'roles', user_id: target.id }, ['owner'], ['stranger', 'member', 'admin']],
    ['/members', { action: 'roles', user_id: owner.id }, ['member'], ['stranger', 'member', 'admin']],
    ['/members', { action: 'remove', user_id: target.id }, [], ['stranger', 'member']],
    ['/members', { action: 'remove', user_id: owner.id }, [], ['stranger', 'member', 'admin']],
    ['/invitations', { action: 'invite', email: 'new@example.com' }, ['member'], ['stranger', 'member']],
    ['/invitations', { action: 'invite', email: 'new@example.com' }, ['owner'], ['stranger', 'member', 'admin']],
    ['/domains', { action: 'add', domain: 'new.example' }, [], ['stranger', 'member']],
    ['/domains', { action: 'joins', domain: 'old.example', auto_join: 'on' }, ['member'], ['stranger', 'member']],
    ['/domains', { action: 'remove', domain: 'old.example' }, [], ['stranger', 'member']],
    ['/policies', { action: 'save', require_aal2: 'on' }, [], ['stranger', 'member']],
    ['/sso', { action: 'add', metadata_xml: '<x/>' }, ['member'], ['stranger', 'member']],
  ];
  for (const [name, person] of Object.entries(people)) {
    const browser = await visit(person);
    for (const [part, allowed] of Object.entries(pages)) {
      const path = `${LIST}/${id}${part === '' ? '' : `/${part}`}`;
      await browser.open(path);
      const isOpen = allowed.includes(name);
      t.equal(pathOf(browser) === path, isOpen, `${name} opens ${path}`);
      if (name === 'stranger') t.notMatch(browser.html, 'Secret name');
      if (name === 'member') t.notMatch(browser.html, /value="(?:save|delete|roles|remove|invite|add)"/);
      if (name === 'admin') t.notMatch(browser.html, 'value="delete"');
    }
    await browser.open(LIST);
    const list = browser.url;
    for (const [part, fields, roles, by] of refused) {
      if (!by.includes(name)) continue;
      await browser.open(list);
      await post(browser, `${LIST}/${id}${part}`, fields, roles);
      const what = `${name} ${part} ${JSON.stringify(fields)} ${roles}`;
      if (name === 'stranger') t.equal(pathOf(browser), LIST, what);
      else t.equal(browser.status, 403, what);
      t.match(browser.html, /Your roles do not allow this|Only an owner can|You are not a member/, what);
      t.same(await state(), before, what);
    }
    if (name !== 'stranger') continue;
    await browser.open(list);
    await post(browser, LIST, { action: 'switch', entry_id: id });
    t.equal(browser.status, 404, 'nor used');
    t.same(await query('select from sessions where organization_id = $1 and user_id = $2', id, person.id), []);
  }
});

t.test('the own data say of which organizations the person is a member', async (t) => {
  const [owner, member] = [await join(), await join()];
  const id = await found(owner, 'In the data');
  await addMember(id, member);
  const browser = await openAccountPage(url, member.email, 'download');
  await browser.send(browser.form('Download'));
  const { organizations } = JSON.parse(browser.html);
  t.match(organizations, [{ id, name: 'In the data', slug: 'in-the-data', roles: ['member'], via: 'admin' }]);
  t.equal(organizations.length, 1);
  t.notMatch(browser.html, owner.email);
});

t.test('a form of somewhere else does nothing', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Forged');
  const browser = await visit(owner, id);
  const form = browser.form('value="delete"');
  await browser.send(form, { action: 'delete', slug: 'forged', form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  browser.more = { origin: 'https://evil.example' };
  await browser.send(form, { action: 'delete', slug: 'forged' });
  t.equal(browser.status, 403);
  t.ok(await exists(id));
});

t.test('the end of the account waits until every organization has another owner', async (t) => {
  const [owner, ann] = [await join(), await join()];
  const id = await found(owner, 'Handed <over>');
  const own = await found(owner, 'Alone');
  await addMember(id, ann);
  const browser = await openAccountPage(url, owner.email, 'delete');
  t.match(browser.html, 'First make another member an owner in each of them:');
  t.notMatch(browser.html, 'Alone');
  t.notMatch(browser.html, 'Delete my account');
  await browser.open(browser.link('Handed <over>'));
  const search = new URL(browser.url).search;
  t.equal(pathOf(browser), `${LIST}/${id}/members`);
  await post(browser, '/ui/account/delete', { name: owner.email });
  t.equal(browser.status, 409);
  t.match(browser.alert, 'Make another member an owner first.');
  t.match(browser.html, 'First make another member an owner in each of them:');

  await browser.open(`${LIST}/${id}/members${search}`);
  const form = browser.forms.find(
    ({ fields, html }) => fields['user_id'] === ann.id && html.includes('value="roles"'),
  )!;
  await browser.send(form, { action: 'roles' }, { roles: ['owner'] });
  await browser.open(`/ui/account/delete${search}`);
  t.match(browser.html, 'These organizations have no other member, and are deleted, too:');
  t.match(browser.html, 'Alone');
  await browser.send(browser.form('Delete my account'), { name: owner.email });
  t.equal(pathOf(browser), '/ui/signed-out');
  t.same([await exists(id), await exists(own)], [true, false]);
  t.same(await rolesOf(id, ann), ['owner']);
});

t.test('creation is not offered where administrators alone create organizations', async (t) => {
  const closed = await openOrganizationServer(t, { PAGES_ENABLED: 'true', ORGANIZATIONS_CREATION: 'admin' });
  const { email } = await closed.join();
  const browser = await openAccountPage(closed.url, email, 'organizations');
  t.equal(pathOf(browser), LIST);
  t.notMatch(browser.html, 'value="create"');
  await browser.open('/ui/account');
  await post(browser, LIST, { action: 'create', name: 'Mine' });
  t.equal(browser.status, 403);
  t.equal(browser.alert, 'You cannot create organizations here.');
  t.same((await closed.database.admin.query('select from organizations')).rows, []);
});
