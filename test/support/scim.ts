/** Provisioning as an identity provider does it. */
import { asAdmin } from './admin.js';
import { openFakeIdp } from './fake-saml-idp.js';
import { actWith, type OrganizationServer, type Person } from './organizations.js';
import { type SamlFlow, samlFlowOn, samlSettings } from './saml-flow.js';
import { type Answer, openTestServer } from './server.js';
import type { Test } from './tap.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export type ScimCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

export interface ScimServer extends OrganizationServer, Omit<SamlFlow, keyof OrganizationServer> {
  /** Calls below /scim/v2 with a token. */
  with(token: string | undefined): ScimCall;
  /** A new identity provider of the installation. */
  addScimProvider(
    fields?: object,
  ): Promise<{ id: string; token: string; scim: ScimCall; idp: ReturnType<typeof openFakeIdp> }>;
  /** A new organization of the person, with a verified domain. */
  addScimOrganization(owner: Person, domain: string): Promise<{ id: string; token: string; scim: ScimCall }>;
}

let idps = 0;

/**
 * A server with provisioning, organizations and SAML.
 * @param reach changes the URL at which the server finds its database
 */
export async function openScimServer(
  t: Test,
  settings: Record<string, string> = {},
  reach?: (databaseUrl: string) => string,
): Promise<ScimServer> {
  const features = { SCIM_ENABLED: 'true', ORGANIZATIONS_ENABLED: 'true', RATE_LIMIT_SCIM: '100000' };
  const server = await openTestServer(t, samlSettings({ ...features, ...settings }), reach);
  const admin = asAdmin(server);
  const flow = samlFlowOn(server);
  const withToken =
    (token: string | undefined): ScimCall =>
    (method, path, body, headers = {}) =>
      server.call(method, `/scim/v2${path}`, {
        bearer: token,
        headers: { 'content-type': 'application/scim+json', ...headers },
        ...(body !== undefined && { body }),
      });
  const made = ({ status, body }: Answer): string => {
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.token;
  };
  return {
    ...flow,
    ...actWith(server),
    with: withToken,
    async addScimProvider(fields = {}) {
      const idp = openFakeIdp(`scim${idps++}.example`);
      const { status, body } = await flow.addProvider(idp, fields);
      if (status !== 201) throw new Error(JSON.stringify(body));
      const token = made(await admin('POST', `/admin/sso/providers/${body.id}/scim_tokens`, { name: 'test' }));
      return { id: body.id, token, scim: withToken(token), idp };
    },
    async addScimOrganization(owner, domain) {
      const id = await actWith(server).found(owner);
      const { status, body } = await admin('POST', `/admin/organizations/${id}/domains`, { domain, verified: true });
      if (status !== 201) throw new Error(JSON.stringify(body));
      const token = made(
        await server.call('POST', `/organizations/${id}/scim_tokens`, { bearer: owner.access, body: { name: 'test' } }),
      );
      return { id, token, scim: withToken(token) };
    },
  };
}
