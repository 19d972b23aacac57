/** Rules of organizations on the account page, without scripts: policies, what they refuse, what helps; who joins by a domain. */
import { openAccountPage, pathOf } from '../support/account-page.js';
import { openApp } from '../support/authenticator-app.js';
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { openHostedServer } from '../support/hosted-server.js';
import { actWith, type Person } from '../support/organizations.js';
import type { PageBrowser } from '../support/page-browser.js';
import { samlSettings } from '../support/saml-flow.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

const LIST = '/ui/account/organizations';
const NONE = { require_aal2: false, require_sso: false, session_hours: null, allowed_domains: [] };
const server = await openHostedServer(t, samlSettings({ ORGANIZATIONS_ENABLED: 'true' }));
const { as, join, found, addMember } = actWith(server);
const { database, issuer: origin } = server;

const query = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.admin.query(text, values)).rows as Row[];
const setPolicies = (id: string, policies: object) =>
  query('update organizations set policies = $2 where id = $1', id, JSON.stringify({ ...NONE, ...policies }));
const isMember = async (id: string, person: Person): Promise<boolean> =>
  (await query('select from organization_members where organization_id = $1 and user_id = $2', id, person.id))
    .length === 1;

/** An organization with a member beside its owner, whose policies refuse them. */
async function openStrict(policies: object) {
  const [owner, member] = [await join(), await join()];
  const id = await found(owner, 'Strict & Co');
  await addMember(id, member);
  await setPolicies(id, policies);
  return { id, owner, member };
}
const visit = ({ email }: Person, id: string, part = ''): Promise<PageBrowser> =>
  openAccountPage(origin, email, `organizations/${id}${part}`);

t.test('without a second factor: why, where to add one, and afterwards the page', async (t) => {
  const { id, member } = await openStrict({ require_aal2: true });
  const browser = await visit(member, id, '/members');
  t.equal(browser.status, 403);
  t.equal(pathOf(browser), `${LIST}/${id}/members`);
  t.equal(browser.title, 'Strict & Co');
  t.equal(browser.alert, 'This organization needs a second step at sign-in, and you have none yet.');
  t.notMatch(browser.html, 'role="search"', 'nothing of the page itself');
  const page = browser.url;

  await browser.open(LIST);
  await browser.send(browser.form('Use Strict'));
  t.equal(pathOf(browser), `${LIST}/${id}`, 'using it leads there, too');
  t.equal(browser.status, 403);

  await browser.open(browser.link('Add a second step'));
  t.equal(pathOf(browser), '/ui/account/factors');
  await browser.send(browser.form('Add an authenticator app'), { action: 'totp' });
  const app = openApp(/<code class="secret" dir="ltr">([A-Z2-7]+)</.exec(browser.html)![1]!);
  await browser.send(browser.form('name="code"'), { code: app.nextCode(), action: 'verify' });
  await browser.open(page);
  t.equal(browser.status, 200);
  t.equal(browser.title, 'Members');
});

t.test('whom the policies refuse can leave, the last owner excepted', async (t) => {
  const { id, owner, member } = await openStrict({ require_aal2: true });
  const browser = await visit(member, id);
  const leave = browser.form('value="leave"');
  t.notMatch(browser.html, 'value="save"');
  await browser.send(leave, { action: 'save', name: 'Other', slug: 'other-slug' });
  t.equal(browser.status, 403, 'and can do nothing else');
  t.match(browser.html, 'value="leave"');
  t.same(await query('select from organizations where id = $1 and name = $2', id, 'Other'), []);
  await browser.send(leave);
  t.equal(pathOf(browser), LIST);
  t.equal(browser.alert, 'You have left the organization.');
  t.notOk(await isMember(id, member));

  await browser.open(`${LIST}/${id}`);
  t.equal(browser.alert, 'You are not a member of this organization.', 'then nothing is said of its policies');
  const owners = await visit(owner, id);
  t.equal(owners.status, 403);
  t.match(owners.html, 'You are its only owner.');
  t.notMatch(owners.html, 'value="leave"');
});

t.test('a sign-in that is too long ago: a new one leads back', async (t) => {
  const { id, member } = await openStrict({ session_hours: 1 });
  const browser = await visit(member, id, '/members');
  t.equal(browser.status, 200);
  await query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 7200)))
     from jsonb_array_elements(amr) e) where user_id = $1`,
    member.id,
  );
  await browser.open(browser.url);
  t.equal(browser.status, 403);
  t.equal(browser.alert, 'Your sign-in is too long ago for this organization.');
  t.match(browser.html, 'value="leave"');
  await browser.open(browser.link('Sign in again'));
  const form = browser.form('/ui/sign-in');
  t.equal(form.fields['address'], member.email);
  await browser.send(form, { password, action: 'password' });
  t.equal(pathOf(browser), `${LIST}/${id}/members`);
  t.equal(browser.status, 200);
});

t.test('a sign-in of the company: at its provider, or by a second factor of an owner', async (t) => {
  const { id, owner, member } = await openStrict({ require_sso: true });
  const browser = await visit(member, id);
  t.equal(browser.status, 403);
  t.equal(browser.alert, 'Members of this organization sign in at its own identity provider.');
  t.match(browser.html, 'None can be used at the moment.');
  t.notMatch(browser.html, 'Add a second step');
  const owners = await visit(owner, id);
  t.match(owners.html, 'As an owner, you can use a second step instead.');
  t.ok(owners.link('Add a second step'));

  await setPolicies(id, {});
  const idp = openFakeIdp('idp.strict.example');
  const added = await as(owner, 'POST', `/organizations/${id}/sso`, { type: 'saml', metadata_xml: idp.metadata() });
  t.equal(added.status, 201);
  await setPolicies(id, { require_sso: true });
  await query(
    `insert into custom_providers (id, identifier, provider_type, settings, sealed_secret, organization_id)
     values (gen_random_uuid(), 'custom:strict', 'oidc', '{"name": "Strict <login>", "enabled": true}', '', $1),
       (gen_random_uuid(), 'custom:off', 'oidc', '{"name": "Off", "enabled": false}', '', $1)`,
    id,
  );
  await browser.open(browser.url);
  t.notMatch(browser.html, 'None can be used');
  t.match(new URL(browser.link('Continue with Strict <login>')).searchParams.get('provider'), 'custom:strict');
  t.notMatch(browser.html, 'Continue with Off');
  await browser.open(browser.link('Continue with idp.strict.example'));
  const { id: requestId, relayState } = idp.readRequest(browser.onward);
  const SAMLResponse = idp.respond({
    acsUrl: `${origin}/sso/saml/acs`,
    audience: `${origin}/sso/saml/metadata`,
    requestId,
    nameId: { value: 'ann', format: PERSISTENT },
    attributes: { mail: 'ann@strict.example' },
  });
  const answer = { action: `${origin}/sso/saml/acs`, html: '', fields: { SAMLResponse, RelayState: relayState } };
  await browser.send(answer);
  t.equal(pathOf(browser), `${LIST}/${id}`);
  t.equal(browser.status, 200, 'who has signed in there is admitted');
  t.match(browser.html, 'ann@strict.example');
});

const policiesOf = async (id: string) =>
  (await query<{ policies: object | null }>('select policies from organizations where id = $1', id))[0]!.policies;
const wrongIn = ({ html }: PageBrowser): string[] =>
  [...html.matchAll(/<(?:input|textarea)[^>]*aria-invalid="true"[^>]*>/g)].map(
    ([input]) => /name="([^"]+)"/.exec(input)![1]!,
  );

t.test('policies are shown, changed, and refused with what was typed', async (t) => {
  const { id, owner, member } = await openStrict({ session_hours: 8, allowed_domains: ['a.example', 'b.example'] });
  const browser = await visit(owner, id, '/policies');
  t.equal(browser.title, 'Policies');
  const save = () => browser.form('value="save"');
  const boxes = () =>
    [...browser.html.matchAll(/name="(require_\w+)" value="on"( checked)?/g)].map(([, name, on]) => [
      name,
      on !== undefined,
    ]);
  const domains = () => /<textarea[^>]*>\n([^<]*)</.exec(browser.html)![1];
  t.same(boxes(), [
    ['require_aal2', false],
    ['require_sso', false],
  ]);
  t.equal(save().fields['session_hours'], '8');
  t.equal(domains(), 'a.example\nb.example');

  const typed = { action: 'save', session_hours: '0', allowed_domains: 'fine.example\nno domain', require_sso: 'on' };
  await browser.send(save(), typed);
  t.equal(browser.status, 400);
  t.match(browser.alert, 'Enter a whole number of hours from 1 to 8760');
  t.same(wrongIn(browser), ['session_hours', 'allowed_domains']);
  t.same(boxes(), [
    ['require_aal2', false],
    ['require_sso', true],
  ]);
  t.equal(save().fields['session_hours'], '0');
  t.equal(domains(), 'fine.example\nno domain');
  t.match(await policiesOf(id), { session_hours: 8 });

  await browser.send(save(), { action: 'save', session_hours: ' 24 ', allowed_domains: 'C.example, a.example\r\n' });
  t.equal(browser.alert, 'Saved.');
  t.same(await policiesOf(id), { ...NONE, session_hours: 24, allowed_domains: ['a.example', 'c.example'] });
  await browser.send(save(), { action: 'save', session_hours: '', allowed_domains: '' });
  t.equal(await policiesOf(id), null);
  t.match(browser.html, 'Your own sign-in has no second step: verify one before you require it.');
  t.match(browser.html, 'You have not signed in at one: do that first, or use a second step as an owner.');
  for (const [name, reason] of [
    ['require_aal2', 'your own sign-in has no second step'],
    ['require_sso', 'you have not signed in at an identity provider'],
  ] as const) {
    await browser.send(save(), { action: 'save', session_hours: '', allowed_domains: '', [name]: 'on' });
    t.equal(browser.status, 422, `${name} would shut out the owner who sets it`);
    t.match(browser.alert, reason);
    t.ok(
      boxes().some(([box, isOn]) => box === name && isOn),
      'what was ticked stays',
    );
    t.equal(await policiesOf(id), null);
  }
  const members = await visit(member, id, '/policies');
  t.equal(pathOf(members), `${LIST}/${id}`, 'a member may not');
  t.notMatch(members.html, '/policies');
  const { form_token = '' } = members.form('value="leave"').fields;
  const form = {
    action: Object.assign(new URL(members.form('value="leave"').action), { pathname: `${LIST}/${id}/policies` }).href,
    fields: { form_token },
    html: '',
  };
  await members.send(form, { action: 'save', require_sso: 'on' });
  t.equal(members.status, 403);
  t.match(members.html, 'Your roles do not allow this.');
  t.equal(await policiesOf(id), null);
});

t.test('a domain that no organization can have: why', async (t) => {
  const owner = await join();
  const id = await found(owner, 'Domains');
  const browser = await visit(owner, id, '/domains');
  for (const [domain, reason] of [
    ['gmail.com', 'Anyone can have an address or a name at this domain.'],
    ['co.uk', 'Anyone can have an address or a name at this domain.'],
    ['no domain', 'Enter a domain such as example.com.'],
  ] as const) {
    await browser.send(browser.form('name="domain"'), { action: 'add', domain });
    t.equal(browser.status, 400);
    t.match(browser.alert, reason, domain);
    t.same(wrongIn(browser), ['domain']);
  }
});

t.test('who joins by a domain', async (t) => {
  const [owner, admin] = [await join(), await join()];
  const id = await found(owner, 'Joining');
  await addMember(id, admin, 'admin');
  for (const domain of ['one.example', 'two.example']) {
    t.equal((await as(owner, 'POST', `/organizations/${id}/domains`, { domain })).status, 201);
  }
  const joins = async () =>
    Object.fromEntries(
      (
        await query<{ domain: string; auto_join: boolean; roles: string[] }>(
          'select domain, auto_join, roles from organization_domains where organization_id = $1',
          id,
        )
      ).map(({ domain, auto_join, roles }) => [domain, auto_join ? roles : null]),
    );
  const browser = await visit(admin, id, '/domains');
  const formOf = (domain: string) =>
    browser.forms.find(({ fields, html }) => fields['domain'] === domain && html.includes('value="joins"'))!;
  t.match(browser.html, 'No one joins by it without an invitation.');
  t.notMatch(browser.html, 'value="owner"', 'no one becomes an owner so');

  await browser.send(formOf('two.example'), { action: 'joins', auto_join: 'on' });
  t.equal(browser.status, 400, 'who joins has a role');
  t.same(new Set(wrongIn(browser)), new Set(['roles']));
  t.match(browser.html, /<details open><summary>Joining by two\.example/);
  t.match(browser.html, /<details><summary>Joining by one\.example/);
  await browser.send(formOf('two.example'), { action: 'joins', auto_join: 'on' }, { roles: ['owner'] });
  t.equal(browser.status, 400);
  await browser.send(formOf('two.example'), { action: 'joins', auto_join: 'on' }, { roles: ['member', 'admin'] });
  t.equal(browser.alert, 'Saved.');
  t.match(browser.html, 'join as: Administrator, Member');
  t.same(await joins(), { 'one.example': null, 'two.example': ['admin', 'member'] });
  await browser.send(formOf('two.example'), { action: 'joins' }, { roles: ['member', 'admin'] });
  t.same(await joins(), { 'one.example': null, 'two.example': null });
});
