/** Keys and ID tokens of a provider that exists only in a test (OpenID Connect Core 2, Discovery 3). */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type SigningAlgorithm = 'RS256' | 'ES256' | 'PS256' | 'EdDSA';

export interface SigningKeys {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** The public key as an entry of a key set. */
  readonly publicJwk: JWK;
  /** The body of a jwks_uri. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /**
   * Signs an ID token that is valid for an hour by default; an undefined claim is left out.
   * @param header replaces members of the header; `kid: undefined` leaves it out
   */
  signIdToken(
    claims: Readonly<Record<string, unknown>>,
    header?: { readonly kid?: string | undefined },
  ): Promise<string>;
}

let count = 0;

export async function makeSigningKeys(algorithm: SigningAlgorithm = 'RS256'): Promise<SigningKeys> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = `key-${++count}`;
  const publicJwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return {
    kid,
    algorithm,
    publicJwk,
    jwks: { keys: [publicJwk] },
    signIdToken(claims, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = { iat: now, exp: now + 3600, ...claims };
      const keyId = Object.hasOwn(header, 'kid') ? header.kid : kid;
      return new SignJWT(JSON.parse(JSON.stringify(all)))
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
        .sign(privateKey);
    },
  };
}

let common: Promise<SigningKeys> | undefined;

/** The RSA keys of all fake providers of this process, for tests that do not tell one issuer from another: each pair takes a tenth of a second of processor time. */
export function commonSigningKeys(): Promise<SigningKeys> {
  common ??= makeSigningKeys();
  return common;
}

/** The body of `<issuer>/.well-known/openid-configuration`; the endpoints are below the issuer. */
export function makeDiscovery(
  issuer: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'PS256', 'EdDSA'],
    ...changes,
  };
}
