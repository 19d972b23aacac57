/** clients/organizations beside @supabase/auth-js, in Node as its README says, and in a browser. */
import { join } from 'node:path';
import { AuthClient } from '@supabase/auth-js';
import * as organizationsModule from '../../clients/organizations/index.js';
import { adminOperations, userOperations } from '../../clients/organizations/operations.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { serveAuthJsPage } from '../support/auth-js-page.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { openOrganizationServer, readPayload } from '../support/organizations.js';
import { freshEmail, password } from '../support/server.js';
import { readSource, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const { createOrganizations, createOrganizationsAdmin, OrganizationsError } = organizationsModule;
const server = await openOrganizationServer(t);

t.test('the README is right', async (t) => {
  const blocks = [...readSource('clients/organizations/README.md').text.matchAll(/^```js\n(.*?)^```/gms)];
  const [open, use, refuse, ...more] = blocks.map(([, block]) => block!.replaceAll(/^import .*\n/gm, ''));
  t.same(more, []);
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const body = `${open!.replace('https://auth.example.com', server.url)}
    await auth.signUp(account);
    ${use} ${refuse}
    return { acme, members, refusal, token: (await auth.getSession()).data.session.access_token };`;
  const names = ['AuthClient', 'account', ...Object.keys(organizationsModule)];
  const email = freshEmail();
  const run = AsyncFunction(...names, body);
  const result = await run(AuthClient, { email, password }, ...Object.values(organizationsModule));
  t.match(result, {
    acme: { name: 'Acme Ltd', slug: 'acme-ltd' },
    members: [`${email}: owner`],
    refusal: 'last_owner',
  });
  t.match(readPayload(result.token), { org_id: result.acme.id, org_roles: ['owner'] });
});

t.test('the functions lead to their endpoints', async (t) => {
  const sent: { url: string; method?: string | undefined; body?: unknown }[] = [];
  const record = (async (url: string, { method, body }: RequestInit) => {
    sent.push({ url, method, body });
    return new Response('{}');
  }) as typeof fetch;
  const options = { url: 'https://a.test/auth/v1/', accessToken: () => 'x', fetch: record };
  const [users, admins] = [createOrganizations(options), createOrganizationsAdmin(options)];
  const tables = { ...userOperations, ...adminOperations };
  for (const [name, call] of Object.entries({ ...users, ...admins })) {
    const { method, path } = tables[name as keyof typeof tables];
    t.ok(
      endpoints.some((endpoint) => endpoint.method === method && endpoint.path === path),
      `${method} ${path}`,
    );
    const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => [part!, `a ${part}`]);
    await (call as (given: object) => Promise<unknown>)(Object.fromEntries(parts));
    const url = `https://a.test/auth/v1${path.replaceAll(/\{(\w+)\}/g, 'a%20$1')}`;
    t.match(sent.at(-1), { method, url }, name);
  }
  t.equal(new Set(sent.map(({ method, url }) => `${method} ${url}`)).size, sent.length, 'each to its own');
  await users.listOrganizationMembers({ id: 'a/b', search: 'x&y', limit: 5, cursor: undefined });
  t.match(sent.at(-1), { url: 'https://a.test/auth/v1/organizations/a%2Fb/members?search=x%26y&limit=5', body: null });
  await users.updateOrganizationMember({ id: 'i', user_id: 'u', roles: ['admin'] });
  t.match(sent.at(-1), { method: 'PATCH', body: '{"roles":["admin"]}' });
  const count = sent.length;
  for (const id of ['', '.', '..', undefined as unknown as string]) {
    await t.rejects(users.getOrganization({ id }), { name: 'TypeError' }, `${id}`);
  }
  t.equal(sent.length, count);
});

t.test('refusals, and answers that are none of the server', async (t) => {
  const person = await server.join();
  const client = createOrganizations({ url: server.url, accessToken: async () => person.access });
  const id = '00000000-0000-4000-8000-000000000000';
  await t.rejects(client.getOrganization({ id }), {
    name: 'OrganizationsError',
    status: 404,
    code: 'organization_not_found',
  });
  const without = createOrganizations({ url: server.url, accessToken: () => null });
  await t.rejects(without.listOrganizations(), { status: 0, code: 'no_authorization' });
  const gateway = (async () => new Response('<h1>Bad gateway</h1>', { status: 502 })) as unknown as typeof fetch;
  const behind = createOrganizations({ url: server.url, accessToken: () => 'x', fetch: gateway });
  await t.rejects(behind.listOrganizations(), new OrganizationsError(502, 'unexpected_failure', 'The answer was 502'));
  const admin = createOrganizationsAdmin({ url: server.url, accessToken: () => adminToken() });
  const made = await admin.adminCreateOrganization({ name: 'Globex', owner_id: person.id });
  t.match(await client.listOrganizations(), { organizations: [{ id: made.id, roles: ['owner'] }], next_cursor: null });
  t.equal(await client.deleteOrganization({ id: made.id, slug: made.slug }), undefined);
});

const page = `<!doctype html>
<title>Application</title>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  import { createOrganizations, eachEntry } from '/organizations/index.js';
  const [email, password] = location.hash.slice(1).split('|').map(decodeURIComponent);
  const url = 'http://127.0.0.1:' + location.pathname.slice(1);
  const auth = new AuthClient({ url, autoRefreshToken: false });
  const organizations = createOrganizations({ url, accessToken: async () => (await auth.getSession()).data.session?.access_token });
  async function run() {
    await auth.signUp({ email, password });
    const { id, slug } = await organizations.createOrganization({ name: 'Browser' });
    await organizations.updateOrganization({ id, name: 'Renamed' });
    await auth.setSession(await organizations.activateOrganization({ id }));
    const listed = await organizations.listOrganizations();
    const members = [];
    for await (const { user } of eachEntry('members', (cursor) => organizations.listOrganizationMembers({ id, cursor }))) members.push(user.email);
    const { data } = await auth.getSession();
    await organizations.deleteOrganization({ id, slug });
    const refusal = await organizations.getOrganization({ id }).catch(({ name, status, code }) => ({ name, status, code }));
    return { id, listed, members, refusal, token: data.session.access_token };
  }
  window.result = run();
</script>`;

t.test('in a browser, from another origin', async (t) => {
  const chromium = findChromium();
  if (chromium === null) return skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
  const openDevice = openDevices(t, await openBrowser(t, chromium));
  const modules = { organizations: join(repository, 'dist/clients/organizations') };
  const origin = await serveAuthJsPage(t, page, '@supabase/auth-js', modules);
  const { page: tab } = await openDevice();
  const email = freshEmail();
  await tab.goto(`${origin}/${new URL(server.url).port}#${encodeURIComponent(email)}|${encodeURIComponent(password)}`);
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts on its members.
  const result = (await tab.evaluate('window.result')) as any;
  t.match(result, {
    listed: { organizations: [{ id: result.id, name: 'Renamed', is_active: true }] },
    members: [email],
    refusal: { name: 'OrganizationsError', status: 404, code: 'organization_not_found' },
  });
  t.match(readPayload(result.token), { org_id: result.id, org_roles: ['owner'] });
});
