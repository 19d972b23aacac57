/** An OpenID Connect issuer on an answering server: discovery, keys and a token endpoint that signs what it is told. */
import type { Test } from 'tap';
import { type AnsweringServer, startAnsweringServer } from './answering-server.js';
import { makeDiscovery, makeSigningKeys, type SigningKeys } from './id-tokens.js';
import { NONCE } from './sign-in.js';

export interface Issuer {
  readonly server: AnsweringServer;
  readonly issuer: string;
  readonly keys: SigningKeys;
  /** Claims of the next ID tokens: those that every token needs, and on top of them what a test says. */
  claims: Readonly<Record<string, unknown>>;
  /** Signs as the token endpoint would. */
  signIdToken(claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** How often a path below the issuer was asked for. */
  countAsked(path: string): number;
}

/** @param path of the issuer on its server, e.g. `/common/v2.0` */
export async function startIssuer(
  t: Test,
  path = '',
  discovery: Readonly<Record<string, unknown>> = {},
): Promise<Issuer> {
  const server = await startAnsweringServer(t);
  const keys = await makeSigningKeys();
  const issuer = `${server.url}${path}`;
  const it: Issuer = {
    server,
    issuer,
    keys,
    claims: {},
    signIdToken: (claims = {}) =>
      keys.signIdToken({ iss: issuer, aud: 'cid', sub: 'somebody', nonce: NONCE, ...it.claims, ...claims }),
    countAsked: (below) => server.asked.filter((asked) => asked.path === `${path}${below}`).length,
  };
  server.answers.set(`${path}/.well-known/openid-configuration`, { body: makeDiscovery(issuer, discovery) });
  server.answers.set(`${path}/keys`, { body: keys.jwks });
  server.answers.set(`${path}/token`, async () => ({
    body: { access_token: 'at1', token_type: 'Bearer', id_token: await it.signIdToken() },
  }));
  return it;
}
