/** A fake OpenID Connect issuer: discovery, keys and a token endpoint that signs the claims a test sets. */

import { makeDiscovery, makeSigningKeys, type SigningKeys } from './id-tokens.js';
import { NONCE } from './sign-in.js';
import { type StubServer, startStubServer } from './stub-server.js';
import type { Test } from './tap.js';

export interface Issuer {
  readonly server: StubServer;
  readonly issuer: string;
  readonly keys: SigningKeys;
  /** Claims of the next ID tokens: the required ones, and those a test adds. */
  claims: Readonly<Record<string, unknown>>;
  /** Signs as the token endpoint would. */
  signIdToken(claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** How often a path below the issuer was requested. */
  countRequests(path: string): number;
}

/** @param path of the issuer on its server, e.g. `/common/v2.0` */
export async function startIssuer(
  t: Test,
  path = '',
  discovery: Readonly<Record<string, unknown>> = {},
): Promise<Issuer> {
  const server = await startStubServer(t);
  const keys = await makeSigningKeys();
  const issuer = `${server.url}${path}`;
  const it: Issuer = {
    server,
    issuer,
    keys,
    claims: {},
    signIdToken: (claims = {}) =>
      keys.signIdToken({ iss: issuer, aud: 'cid', sub: 'subject-1', nonce: NONCE, ...it.claims, ...claims }),
    countRequests: (below) => server.requests.filter((request) => request.path === `${path}${below}`).length,
  };
  server.answers.set(`${path}/.well-known/openid-configuration`, { body: makeDiscovery(issuer, discovery) });
  server.answers.set(`${path}/keys`, { body: keys.jwks });
  server.answers.set(`${path}/token`, async () => ({
    body: { access_token: 'at1', token_type: 'Bearer', id_token: await it.signIdToken() },
  }));
  return it;
}
