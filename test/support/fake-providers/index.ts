/**
 * One server that fakes every identity provider in their real formats, each below its own path: the value of
 * EXTERNAL_GITHUB_URL is `http://127.0.0.1:<port>/github`.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderName } from '../../../src/server/config/settings/external.js';
import { commonSigningKeys, type SigningKeys } from '../id-tokens.js';
import type { Test } from '../tap.js';
import { readPostedForm } from './authorize.js';
import { bitbucket, github, gitlab } from './code-hosts.js';
import type { Call, FakeName, FakeProvider, Part, Person, Shared } from './contract.js';
import { credentialsOf } from './credentials.js';
import { spotify, twitch } from './media.js';
import { type Misbehaviour, misbehave, writeReply } from './misbehave.js';
import { apple, azure, custom, frameClaims, google, keycloak, linkedinOidc } from './openid.js';
import { discord, facebook, kakao, linkedin, snapchat, x } from './social.js';
import { twitter } from './twitter.js';
import { figma, fly, notion, slack, slackOidc, workos, zoom } from './work.js';

export type { Call, FakeName, Part, Person } from './contract.js';
export { credentialsOf } from './credentials.js';
export type { Misbehaviour } from './misbehave.js';

/** All of them; test/conventions/providers.test.ts checks that. */
export const fakeProviders: Readonly<Partial<Record<ProviderName, FakeProvider>>> = {
  apple,
  azure,
  bitbucket,
  discord,
  facebook,
  figma,
  fly,
  github,
  gitlab,
  google,
  kakao,
  keycloak,
  linkedin,
  linkedin_oidc: linkedinOidc,
  notion,
  snapchat,
  spotify,
  slack,
  slack_oidc: slackOidc,
  twitch,
  twitter,
  workos,
  x,
  zoom,
};

function fakeOf(name: FakeName): FakeProvider {
  const provider = name === 'custom' ? custom : fakeProviders[name];
  if (provider === undefined) throw new Error(`there is no fake of ${name}`);
  return provider;
}

/** The next request of the browser. */
export interface Return {
  readonly method: 'GET' | 'POST';
  /** The client's redirect URI; for GET with the response in its query. */
  readonly url: string;
  /** The response, from the query or the form. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface SignInOptions {
  /** The key of {@link FakeProviders.person} for the person at the browser; default: the latest. */
  readonly as?: string;
  readonly decision?: 'allow' | 'deny';
  /** In place of the provider's own error when denied. */
  readonly error?: string;
  readonly errorDescription?: string;
}

export interface FakeProviders {
  readonly origin: string;
  /** Requests received, in order. */
  readonly requests: Call[];
  /** The keys that sign ID tokens. */
  readonly keys: SigningKeys;
  /** The decision on all consent pages, without showing them; null (the default): pages are shown. */
  decision: 'allow' | 'deny' | null;
  urlOf(name: FakeName): string;
  /**
   * Settings that enable providers with this server, without the prefix AUTH_, for openTestServer.
   * @param redirectUri registered with the providers
   */
  settings(names: ProviderName | readonly ProviderName[], redirectUri?: string): Record<string, string>;
  /**
   * Sets the person who signs in next at a provider: that of the examples, with these differences.
   * @returns a key of this person for {@link signIn}, if several sign in at once
   */
  person(name: FakeName, differences?: Partial<Person>): string;
  /** From now on an endpoint of a provider misbehaves; null: no longer. */
  misbehave(name: FakeName, at: Part, how: Misbehaviour | null): void;
  /**
   * Plays the browser at a provider: opens the authorization URL and presses a button there.
   * @returns the request that the browser sends to the client. @throws if the provider shows an error page instead
   */
  signIn(authorizationUrl: string, options?: SignInOptions): Promise<Return>;
  /**
   * Signs an ID token of a provider: valid for ten minutes, for its client, with these claims added or replaced.
   */
  idToken(name: FakeName, claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Its `iss`, as the discovery document has it. */
  issuerOf(name: FakeName): string;
}

export async function openFakeProviders(t: Test): Promise<FakeProviders> {
  const people = new Map<string, Person>();
  const next = new Map<FakeName, Person>();
  const faults = new Map<string, Misbehaviour>();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urlOf = (name: FakeName): string => `${origin}/${name}`;
  const shared: Shared = {
    keys: await commonSigningKeys(),
    codes: new Map(),
    tokens: new Map(),
    redirectUris: new Set(),
    known: new Set(),
    urlOf,
    personAt: ({ provider, query }) =>
      people.get(query.get('fake_person') ?? '') ?? next.get(provider) ?? fakeOf(provider).example,
    decisionAt: ({ query }) => query.get('fake_decision') ?? fake.decision,
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = readCall(request, Buffer.concat(chunks).toString());
    if (call === null) return writeReply(response, { status: 404, body: { error: 'no such provider' } });
    fake.requests.push(call);
    const provider = fakeOf(call.provider);
    const part = (Object.keys(provider.parts) as Part[]).find((part) => provider.parts[part] === call.path);
    if (part === undefined) return writeReply(response, { status: 404, body: { error: 'no such path' } });
    // The endpoint runs first: a code may be spent although no response arrives.
    const reply = await provider.serve(part, call, shared);
    const fault = faults.get(`${call.provider} ${part}`);
    if (fault === undefined) writeReply(response, reply);
    else misbehave(fault, reply, response);
  }

  const fake: FakeProviders = {
    origin,
    requests: [],
    keys: shared.keys,
    decision: null,
    urlOf,
    issuerOf: (name) =>
      `${urlOf(name)}${(fakeOf(name).parts.discovery ?? '').replace('/.well-known/openid-configuration', '')}`,
    settings(names, redirectUri = 'http://localhost:9999/callback') {
      shared.redirectUris.add(redirectUri);
      const of = (name: ProviderName) => {
        const { id, secret } = credentialsOf(name);
        const values = { ENABLED: 'true', CLIENT_ID: id, SECRET: secret, REDIRECT_URI: redirectUri, URL: urlOf(name) };
        return Object.entries(values).map(([field, value]) => [`EXTERNAL_${name.toUpperCase()}_${field}`, value]);
      };
      return Object.fromEntries([names].flat().flatMap((name) => of(name as ProviderName)));
    },
    person(name, differences = {}) {
      const person = { ...fakeOf(name).example, ...differences };
      const key = randomUUID();
      people.set(key, person);
      next.set(name, person);
      return key;
    },
    misbehave(name, at, how) {
      if (how === null) faults.delete(`${name} ${at}`);
      else faults.set(`${name} ${at}`, how);
    },
    async signIn(authorizationUrl, { as, decision = 'allow', error, errorDescription } = {}) {
      const url = new URL(authorizationUrl);
      const added = { person: as, decision, error, error_description: errorDescription };
      for (const [name, value] of Object.entries(added))
        if (value !== undefined) url.searchParams.set(`fake_${name}`, value);
      const response = await fetch(url, { redirect: 'manual' });
      const location = response.headers.get('location');
      const html = await response.text();
      if (location !== null) {
        return { method: 'GET', url: location, fields: Object.fromEntries(new URL(location).searchParams) };
      }
      const form = readPostedForm(html);
      if (form === null) throw new Error(`the provider responded with ${response.status}: ${html}`);
      return { method: 'POST', url: form.action, fields: form.fields };
    },
    idToken: (name, claims) => shared.keys.signIdToken({ ...frameClaims(fake.issuerOf(name), name), ...claims }),
  };
  return fake;
}

function readCall(request: IncomingMessage, body: string): Call | null {
  const [, provider = '', path = '', query = ''] =
    /^\/([a-z_]+)(\/[^?]*)?(?:\?(.*))?$/.exec(request.url ?? '')?.map((part) => part ?? '') ?? [];
  if (provider !== 'custom' && !Object.hasOwn(fakeProviders, provider)) return null;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return {
    provider: provider as FakeName,
    method: request.method ?? '',
    path,
    query: new URLSearchParams(query),
    headers: request.headers,
    body,
    fields: new URLSearchParams(isForm ? body : ''),
  };
}
