import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { adminToken } from '../admin.js';
import { type CompanyTests, companyTestsOn } from '../company-test.js';
import { type ConsolePages, openConsolePages } from '../console-page.js';
import { openDns } from '../dns-server.js';
import { type FakeProviders, openFakeProviders } from '../fake-providers/index.js';
import { openFakeIdp } from '../fake-saml-idp.js';
import { addClient, oauthSettings } from '../oauth-client.js';
import { openTracing, type TracingOperator } from '../provider-trace.js';
import { samlPrivateKey } from '../saml-keys.js';
import type { Test } from '../tap.js';
import { until } from '../until.js';
import { startWebhookReceiver } from '../webhook-receiver.js';
import { addPeople } from './people.js';

/** The console with people and identity providers, for the catalogue of states. */
export interface StatePages extends ConsolePages {
  readonly providers: FakeProviders;
  /** What stands for each parameter in the address of a page. */
  readonly examples: Readonly<Record<string, string>>;
  /** Opened when a state needs it first. */
  tracing(): Promise<TracingOperator>;
  /** Tests of the company. */
  readonly company: CompanyTests;
}

/** @param executablePath of Chromium */
export async function openStatePages(t: Test, executablePath: string): Promise<StatePages> {
  const providers = await openFakeProviders(t);
  const pages = await openConsolePages(t, executablePath, {
    ...oauthSettings(),
    ...providers.settings(['github', 'google']),
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
    ORGANIZATIONS_ENABLED: 'true',
    SCIM_ENABLED: 'true',
    SAML_ENABLED: 'true',
    SAML_PRIVATE_KEY: samlPrivateKey(),
    // Where the processors are busy.
    API_MAX_REQUEST_DURATION: '60s',
    // Without a record of any domain.
    DNS_SERVERS: await openDns(t, {}),
  });
  const webhook = await addWebhook(t, pages);
  const people = await addPeople(pages.console);
  const organization = await addOrganization(pages, people);
  const company = await addCompany(pages);
  const client = await addClient(pages.console, { client_name: 'Shop' });
  const machine = await addMachine(pages, organization);
  const examples = {
    user_id: await readOne(pages, "select id as value from users where email = 'ada@example.com'"),
    request_id: await readOne(
      pages,
      "select request_id as value from refusals where error_code = 'invalid_credentials'",
    ),
    client_id: client.id,
    machine_id: machine,
    webhook_id: webhook,
    provider: 'github',
    sso_provider_id: company.providerId,
    organization_id: organization,
  };
  let tracing: Promise<TracingOperator> | undefined;
  return {
    ...pages,
    providers,
    examples,
    company,
    tracing() {
      tracing ??= openTracing(pages.console, providers);
      return tracing;
    },
  };
}

/** With members, invitations, domains, an identity provider and a role of its own. @returns its id */
async function addOrganization({ console }: ConsolePages, people: readonly string[]): Promise<string> {
  const bearer = adminToken();
  const add = async (path: string, body: object) => (await console.call('POST', path, { bearer, body })).body;
  await add('/admin/organization-roles', { name: 'editor', description: 'Writes', permissions: ['documents:write'] });
  const [owner, ...others] = people;
  await add('/admin/organizations', { name: 'Northwind', owner_id: owner });
  const metadata = { plan: 'business', seats: 25 };
  const { id } = await add('/admin/organizations', { name: 'Acme Ltd', owner_id: owner, metadata, max_members: 25 });
  for (const [i, user_id] of others.slice(0, 4).entries()) {
    const roles = [['admin'], ['editor', 'member'], ['member'], ['member']][i];
    await add(`/admin/organizations/${id}/members`, { user_id, roles });
  }
  const invitations = ['tim@acme.example', 'vint@acme.example'].map((email) => ({ email, roles: ['editor'] }));
  await add(`/admin/organizations/${id}/invitations`, { invitations });
  const idp = openFakeIdp('sign-in.acme.example');
  await add('/admin/sso/providers', {
    ...{ type: 'saml', metadata_xml: idp.metadata(), organization_id: id, roles: ['member'] },
    role_mapping: [{ attribute: 'groups', value: 'writers', roles: ['editor'] }],
  });
  await console.call('PUT', `/admin/organizations/${id}`, { bearer, body: { policies: { session_hours: 12 } } });
  await console.database.admin.query(
    "insert into organization_domains (organization_id, domain, verified_at) values ($1, 'acme.example', now()), ($1, 'acme.test', null)",
    [id],
  );
  return id;
}

/** A client of an organization with a key. @returns its id */
async function addMachine({ console }: ConsolePages, organization_id: string): Promise<string> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { id } = await addClient(console, {
    client_name: 'Warehouse robot',
    redirect_uris: [],
    token_endpoint_auth_method: 'private_key_jwt',
    grant_types: ['client_credentials'],
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'robot-2026' }] },
    organization_id,
    organization_roles: ['editor'],
  });
  return id;
}

/** With a mapping, metadata that ends soon, a token of provisioning, and what came by it. */
async function addCompany({ console }: ConsolePages): Promise<CompanyTests> {
  const operator = await console.signIn('admin', 'of-companies');
  const validUntil = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const idp = openFakeIdp();
  const { body } = await operator.post('/api/sso-providers', {
    metadata_xml: idp.metadata({ attributes: ` validUntil="${validUntil}"` }),
    domains: ['acme.example', 'acme.test'],
    attribute_mapping: { keys: { groups: { name: 'memberOf', array: true, target: 'app_metadata' } } },
    enforced: true,
  });
  await operator.post(`/api/sso-providers/${body.id}/scim-tokens`, { name: 'Entra ID' });
  await console.database.admin.query(
    `with person as (
       update users set app_metadata = app_metadata || '{"scim": {}}' where email = 'margaret@example.com' returning id
     ), known as (
       insert into scim_users (scope_id, user_id, user_name, user_name_key, active, resource, search, owns_account)
       select $1, id, 'Margaret.Hamilton@acme.example', 'margaret.hamilton@acme.example', true, '{}', '{}', false from person
     ), department as (
       insert into scim_groups (scope_id, display_name, display_key) values ($1, 'Engineers', 'engineers') returning id
     )
     insert into scim_group_members (group_id, user_id, scope_id) select d.id, p.id, $1 from department d, person p`,
    [body.id],
  );
  const calls = [
    ['POST', '/Users', 201, null, null, ['userName', 'name', 'emails', 'active true']],
    ['GET', '/Users?filter=userName eq "…"', 200, null, null, []],
    ['PATCH', `/Groups/${randomUUID()}`, 204, null, null, ['add members (25)']],
    ['POST', '/Users', 409, 'uniqueness', 'Another resource has this userName', ['userName', 'displayName', 'emails']],
  ].map(([method, path, status, scim_type, detail, changes], i) => {
    const called_at = new Date(Date.now() - (9 - i) * 60_000);
    const resource_id = status === 201 ? randomUUID() : null;
    return {
      ...{ scope_id: body.id, called_at, request_id: randomUUID(), token_name: 'Entra ID', resource_id },
      ...{ method, path, status, scim_type, detail, changes },
    };
  });
  await console.database.admin.query(
    "insert into scim_calls select (jsonb_populate_record(null::scim_calls, c || jsonb_build_object('id', gen_random_uuid()))).* from jsonb_array_elements($1::jsonb) c",
    [JSON.stringify(calls)],
  );
  return companyTestsOn(console, operator, idp, body.id);
}

/** With one delivery for each person, of which some were refused. @returns its id */
async function addWebhook(t: Test, { console }: ConsolePages): Promise<string> {
  const receiver = await startWebhookReceiver(t);
  receiver.answer = () => (receiver.received.length % 3 === 0 ? 500 : 204);
  const operator = await console.signIn('admin', 'of-webhooks');
  const { body } = await operator.post('/api/webhooks', { url: receiver.url, events: ['user.created'] });
  receiver.secret = body.secret;
  return body.id;
}

/** Refusals are stored about a second after the answer. */
async function readOne({ console }: ConsolePages, statement: string): Promise<string> {
  let value: string | undefined;
  await until(async () => {
    value = (await console.database.admin.query<{ value: string }>(statement)).rows[0]?.value;
    return value !== undefined;
  });
  return value!;
}
