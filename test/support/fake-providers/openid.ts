import { createHash } from 'node:crypto';
import type { FakeName, FakeProvider, Grant, Person, Shared } from './contract.js';
import { credentialsOf } from './credentials.js';
import { type Document, makeOAuth2Fake, makePerson, standardToken, type Tokens } from './oauth2.js';

/** Claims of every ID token. */
export function frameClaims(issuer: string, name: FakeName): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: credentialsOf(name).id, iat: now, exp: now + 600 };
}

/** The standard token response, with an ID token unless the person's is null. */
function tokenWithId(
  issuer: (shared: Shared) => string,
  describe: (person: Person) => Readonly<Record<string, unknown>>,
): (tokens: Tokens, grant: Grant, call: unknown, shared: Shared) => Promise<{ body: unknown }> {
  return async (tokens, grant, _call, shared) => {
    const body = standardToken(tokens).body as object;
    const { idToken } = grant.person.answers;
    if (idToken === null) return { body };
    const claims = {
      ...frameClaims(issuer(shared), grant.provider),
      ...describe(grant.person),
      ...(grant.nonce !== null && { nonce: grant.nonce }),
      at_hash: hashAccessToken(tokens.access),
    };
    const told = typeof idToken === 'object' ? (idToken as Record<string, unknown>) : claims;
    return { body: { ...body, id_token: typeof idToken === 'string' ? idToken : await shared.keys.signIdToken(told) } };
  };
}

/** `at_hash` of OpenID Connect Core 3.1.3.6, for RS256. */
function hashAccessToken(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}

/** @param issuer below the provider's URL @param paths of the endpoints in the document */
function describeIssuer(name: FakeName, issuer: string, paths: Readonly<Record<string, string>>): Document {
  return {
    path: `${issuer}/.well-known/openid-configuration`,
    read: ({ urlOf }) => ({
      issuer: `${urlOf(name)}${issuer}`,
      ...Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, `${urlOf(name)}${path}`])),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
  };
}

const keysAt = (path: string): Document => ({ path, read: ({ keys }) => keys.jwks });

const givenEmail = (email: string | null, isVerified: unknown) =>
  email === null ? {} : { email, email_verified: isVerified };

export const apple = makeOAuth2Fake({
  example: { subject: '001.ab', name: 'Ada L', email: 'x@e.com' },
  paths: { authorize: '/auth/authorize', token: '/auth/token' },
  usesPkce: false,
  isFormPost: true,
  denial: { error: 'user_cancelled_authorize' },
  clientStyles: ['body'],
  more(call, shared): Record<string, string> {
    const { subject, name, email } = shared.personAt(call);
    const [firstName = '', ...rest] = name.split(' ');
    const key = `apple ${String(subject)}`;
    if (shared.known.has(key)) return {};
    shared.known.add(key);
    return { user: JSON.stringify({ name: { firstName, lastName: rest.join(' ') }, email }) };
  },
  token: tokenWithId(
    ({ urlOf }) => urlOf('apple'),
    ({ subject, email, isVerified }) => ({
      sub: subject,
      // Apple writes these as strings.
      ...givenEmail(email, String(isVerified)),
      is_private_email: 'false',
      auth_time: 1700000000,
    }),
  ),
  documents: {
    discovery: describeIssuer('apple', '', {
      authorization_endpoint: '/auth/authorize',
      token_endpoint: '/auth/token',
      jwks_uri: '/auth/keys',
    }),
    jwks: keysAt('/auth/keys'),
  },
});

export const azure = makeOAuth2Fake({
  example: { subject: 'az1', name: 'Az T', username: 'az@example.com', email: 'az@example.com' },
  paths: { authorize: '/oauth2/v2.0/authorize', token: '/oauth2/v2.0/token' },
  usesPkce: true,
  clientStyles: ['body'],
  token: tokenWithId(
    ({ urlOf }) => `${urlOf('azure')}/v2.0`,
    ({ subject, name, username, email, isVerified }) => ({
      sub: subject,
      name,
      ...givenEmail(email, isVerified),
      preferred_username: username,
      xms_edov: isVerified,
    }),
  ),
  documents: {
    discovery: describeIssuer('azure', '/v2.0', {
      authorization_endpoint: '/oauth2/v2.0/authorize',
      token_endpoint: '/oauth2/v2.0/token',
      jwks_uri: '/discovery/v2.0/keys',
    }),
    jwks: keysAt('/discovery/v2.0/keys'),
  },
});

export const google = makeOAuth2Fake({
  example: { subject: 'g1', name: 'Goo G', email: 'g@example.com' },
  paths: { authorize: '/o/oauth2/v2/auth', token: '/token' },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  token: tokenWithId(
    ({ urlOf }) => urlOf('google'),
    ({ subject, name, email, isVerified }) => ({
      sub: subject,
      name,
      picture: 'http://img/g.png',
      ...givenEmail(email, isVerified),
      hd: 'example.com',
    }),
  ),
  resources: {
    profile: {
      path: '/userinfo/v2/me',
      read: ({ subject, name, email, isVerified }) => ({
        id: subject,
        name,
        picture: 'http://img/g.png',
        email,
        verified_email: isVerified,
      }),
    },
  },
  documents: {
    discovery: describeIssuer('google', '', {
      authorization_endpoint: '/o/oauth2/v2/auth',
      token_endpoint: '/token',
      userinfo_endpoint: '/userinfo/v2/me',
      jwks_uri: '/oauth2/v3/certs',
    }),
    jwks: keysAt('/oauth2/v3/certs'),
  },
});

const realm = '/protocol/openid-connect';

export const keycloak = makeOAuth2Fake({
  example: { subject: 'kc1', name: 'Key C', username: 'kc', email: 'kc@example.com' },
  paths: { authorize: `${realm}/auth`, token: `${realm}/token` },
  usesPkce: true,
  clientStyles: ['basic', 'body'],
  resources: {
    profile: {
      path: `${realm}/userinfo`,
      read: ({ subject, name, username, email, isVerified }) => ({
        sub: subject,
        name,
        ...givenEmail(email, isVerified),
        preferred_username: username,
        groups: ['a'],
      }),
    },
  },
  documents: {
    discovery: describeIssuer('keycloak', '', {
      authorization_endpoint: `${realm}/auth`,
      token_endpoint: `${realm}/token`,
      userinfo_endpoint: `${realm}/userinfo`,
      jwks_uri: `${realm}/certs`,
    }),
    jwks: keysAt(`${realm}/certs`),
  },
});

const linkedinToken = tokenWithId(
  ({ urlOf }) => `${urlOf('linkedin_oidc')}/oauth`,
  ({ subject, name, email, isVerified }) => ({
    sub: subject,
    name,
    given_name: name.split(' ')[0],
    family_name: name.split(' ').slice(1).join(' '),
    locale: 'en_US',
    picture: 'http://img/lo.png',
    ...givenEmail(email, String(isVerified)),
  }),
);

export const linkedinOidc = makeOAuth2Fake({
  example: { subject: 'lo1', name: 'Lin K', email: 'lo@example.com' },
  paths: { authorize: '/oauth/v2/authorization', token: '/oauth/v2/accessToken' },
  usesPkce: false,
  clientStyles: ['body'],
  // It drops the nonce.
  token: async (tokens, grant, call, shared) => linkedinToken(tokens, { ...grant, nonce: null }, call, shared),
  documents: {
    discovery: describeIssuer('linkedin_oidc', '/oauth', {
      authorization_endpoint: '/oauth/v2/authorization',
      // Another host, which is not used.
      token_endpoint: '/elsewhere',
      userinfo_endpoint: '/v2/userinfo',
      jwks_uri: '/oauth/openid/jwks',
    }),
    jwks: keysAt('/oauth/openid/jwks'),
  },
});

const customDocuments = { discovery: describeIssuer('custom', '', { jwks_uri: '/keys' }), jwks: keysAt('/keys') };

/** An issuer of ID tokens and nothing else. */
export const custom: FakeProvider = {
  example: makePerson({ subject: 'cu1', name: 'Cu S', email: 'cu@example.com' }),
  parts: { discovery: customDocuments.discovery.path, jwks: customDocuments.jwks.path },
  serve: (part, _call, shared) => ({ body: customDocuments[part === 'jwks' ? 'jwks' : 'discovery'].read(shared) }),
};
