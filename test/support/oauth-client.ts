/** An OAuth client as others write it: oauth4webapi, and the page that asks the user. */
import * as oauth from 'oauth4webapi';
import { asAdmin } from './admin.js';
import { sendPlain } from './plain-request.js';
import { type Answer, freshEmail, password, type TestServer } from './server.js';
import { keySetting, makeTestJwk } from './signing-keys.js';

export const REDIRECT_URI = 'https://client.example.com/callback';

const ISSUER = new URL('http://localhost:9999');

/** Options of oauth4webapi for a server that listens elsewhere than its external URL says. */
export function optionsHere({ url }: Pick<TestServer, 'url'>) {
  const fetchHere: typeof fetch = (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : input);
    return fetch(url + asked.pathname + asked.search, init);
  };
  return { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetchHere as never };
}

/** The metadata of the server, as oauth4webapi reads it. */
export const discover = async (server: Pick<TestServer, 'url'>): Promise<oauth.AuthorizationServer> =>
  oauth.processDiscoveryResponse(ISSUER, await oauth.discoveryRequest(ISSUER, optionsHere(server)));

/** Settings of a server with the authorization server on, and a page of the application that asks for consent. */
export const oauthSettings = (more: Record<string, string> = {}): Record<string, string> => ({
  OAUTH_SERVER_ENABLED: 'true',
  OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'true',
  OAUTH_SERVER_AUTHORIZATION_PATH: '/oauth/consent',
  ...keySetting(makeTestJwk('ES256', 'oauth')),
  // Administrators of tests have tokens of the secret.
  JWT_VALID_METHODS: 'ES256,HS256',
  ...more,
});

/** A server of this process, or another one. */
export type CalledServer = Pick<TestServer, 'url' | 'call'>;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
}

/** @param isProven an administrator has confirmed the address, which autoconfirm did not prove */
export async function signUpPerson(
  { post, call }: Pick<TestServer, 'post'> & Partial<Pick<TestServer, 'call'>>,
  isProven = call !== undefined,
): Promise<Person> {
  const email = freshEmail();
  const { body } = await post('/signup', { email, password });
  if (isProven && call) await asAdmin({ call })('PUT', `/admin/users/${body.user.id}`, { email_confirm: true });
  return { id: body.user.id, email, token: body.access_token, refreshToken: body.refresh_token };
}

export interface TestClient {
  readonly id: string;
  readonly secret: string | undefined;
  readonly body: Record<string, unknown>;
}

/** @param more fields of the client; public by default */
export async function addClient(server: CalledServer, more: Record<string, unknown> = {}): Promise<TestClient> {
  const given = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', client_name: 'Example', ...more };
  const { body } = await asAdmin(server)('POST', '/admin/oauth/clients', given);
  return { id: body.client_id, secret: body.client_secret, body };
}

export interface AuthorizeInput {
  readonly clientId: string;
  readonly verifier?: string;
  readonly parameters?: Readonly<Record<string, string | null>>;
  readonly resources?: readonly string[];
}

export const VERIFIER = 'a-code-verifier-of-at-least-forty-three-characters';

/** GET /oauth/authorize with PKCE. @returns where the browser is sent */
export async function authorize(
  server: CalledServer,
  input: AuthorizeInput,
): Promise<{ answer: Answer; location: URL }> {
  const parameters: Record<string, string | null> = {
    client_id: input.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'email',
    state: 'some state',
    code_challenge: await oauth.calculatePKCECodeChallenge(input.verifier ?? VERIFIER),
    code_challenge_method: 'S256',
    ...input.parameters,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  for (const resource of input.resources ?? []) query.append('resource', resource);
  const answer = await server.call('GET', `/oauth/authorize?${query}`);
  const location = new URL(answer.headers.get('location') ?? 'about:blank');
  return { answer, location };
}

/** The user opens the page and decides. @returns where the browser is sent */
export async function consent(
  server: CalledServer,
  person: Pick<Person, 'token'>,
  location: URL,
  action: 'approve' | 'deny' = 'approve',
): Promise<URL> {
  const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
  const opened = await server.call('GET', path, { bearer: person.token });
  if (opened.body?.redirect_url !== undefined) return new URL(opened.body.redirect_url);
  const decided = await server.call('POST', `${path}/consent`, { bearer: person.token, body: { action } });
  if (decided.status !== 200) throw new Error(`consent: ${decided.status} ${JSON.stringify(decided.body)}`);
  return new URL(decided.body.redirect_url);
}

/** A form to an endpoint of clients. */
export async function postForm(
  server: CalledServer,
  path: string,
  fields: Readonly<Record<string, string>> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await sendPlain(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) };
}

/** The whole flow of a public client. @returns the answer of the token endpoint */
export async function signInToClient(
  server: CalledServer,
  person: Person,
  client: TestClient,
  input: Omit<AuthorizeInput, 'clientId'> = {},
): Promise<Answer> {
  const { location } = await authorize(server, { clientId: client.id, ...input });
  const back = await consent(server, person, location);
  return redeem(server, client, back.searchParams.get('code')!);
}

export const redeem = (
  server: CalledServer,
  client: Pick<TestClient, 'id' | 'secret'>,
  code: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  postForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: client.id,
    ...(client.secret !== undefined && { client_secret: client.secret }),
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...more,
  });

export const refresh = (
  server: CalledServer,
  client: Pick<TestClient, 'id' | 'secret'>,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  postForm(server, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: client.id,
    ...(client.secret !== undefined && { client_secret: client.secret }),
    refresh_token: refreshToken,
    ...more,
  });
