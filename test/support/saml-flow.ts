import type { TestInternet } from '../../src/server/outbound/public-address.js';
import { asAdmin } from './admin.js';
import { type Landing, readLanding } from './external-flow.js';
import type { FakeSamlIdp, ResponseOptions, SamlRequest } from './fake-saml-idp.js';
import { samlPrivateKey } from './saml-keys.js';
import { type Answer, openTestServer, type TestServer } from './server.js';
import type { Test } from './tap.js';

const BASE = 'http://localhost:9999';
export const ENTITY_ID = `${BASE}/sso/saml/metadata`;
export const ACS_URL = `${BASE}/sso/saml/acs`;

export interface SamlFlow extends TestServer {
  readonly admin: ReturnType<typeof asAdmin>;
  /** Adds the provider. */
  addProvider(idp: FakeSamlIdp, fields?: object): Promise<Answer>;
  /** POST /sso without a redirect. @returns what the provider gets */
  begin(idp: FakeSamlIdp, fields: object): Promise<SamlRequest>;
  /** Posts a form to the ACS, as a browser does. */
  postResponse(form: Record<string, string>): Promise<Landing>;
  /** The whole sign-in. */
  signIn(idp: FakeSamlIdp, fields: object, options?: Partial<ResponseOptions>): Promise<Landing>;
}

export const expectedOf = (requestId?: string) => ({ acsUrl: ACS_URL, audience: ENTITY_ID, requestId });

export const samlSettings = (settings: Record<string, string> = {}): Record<string, string> => ({
  SAML_ENABLED: 'true',
  SAML_PRIVATE_KEY: samlPrivateKey(),
  URI_ALLOW_LIST: 'http://localhost:3000/**',
  ...settings,
});

export async function openSamlFlow(
  t: Test,
  settings: Record<string, string> = {},
  internet?: TestInternet,
): Promise<SamlFlow> {
  return samlFlowOn(await openTestServer(t, samlSettings(settings), undefined, internet));
}

/** @param server with {@link samlSettings} */
export function samlFlowOn(server: TestServer): SamlFlow {
  const admin = asAdmin(server);
  const postResponse: SamlFlow['postResponse'] = async (form) =>
    readLanding(
      await fetch(`${server.url}/sso/saml/acs`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(form)),
      }),
    );
  const begin: SamlFlow['begin'] = async (idp, fields) => {
    const answer = await server.post('/sso', { ...fields, skip_http_redirect: true });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return idp.readRequest(answer.body.url);
  };
  return {
    ...server,
    admin,
    addProvider: (idp, fields = {}) =>
      admin('POST', '/admin/sso/providers', { type: 'saml', metadata_xml: idp.metadata(), ...fields }),
    begin,
    postResponse,
    async signIn(idp, fields, options = {}) {
      const request = await begin(idp, fields);
      const response = idp.respond({ ...expectedOf(request.id), ...options });
      return postResponse({ SAMLResponse: response, RelayState: request.relayState });
    },
  };
}
