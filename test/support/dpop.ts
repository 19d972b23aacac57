/** DPoP proofs (RFC 9449) as a client makes them, and as an attacker might. */
import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { type CalledServer, postForm, type TestClient } from './oauth-client.js';
import { takeRsaKey } from './rsa-keys.js';
import type { Answer } from './server.js';

export interface ProofKey {
  readonly alg: 'ES256' | 'RS256' | 'EdDSA';
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly jkt: string;
}

/** Where the server of tests says that it is. */
export const ADDRESS = 'http://localhost:9999';

export function makeProofKey(alg: ProofKey['alg'] = 'ES256'): ProofKey {
  const { privateKey, publicKey } = {
    ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    RS256: () => {
      const privateKey = takeRsaKey();
      return { privateKey, publicKey: createPublicKey(privateKey) };
    },
    EdDSA: () => generateKeyPairSync('ed25519'),
  }[alg]();
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
  // RFC 7638 3.2: the required members in order of their names.
  const members = ['crv', 'e', 'kty', 'n', 'x', 'y'].filter((name) => name in jwk).map((name) => [name, jwk[name]]);
  return { alg, privateKey, jwk, jkt: hashText(JSON.stringify(Object.fromEntries(members))) };
}

/** SHA-256, base64url. */
export const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url');

export interface Proof {
  readonly key: ProofKey;
  readonly method?: string;
  /** Path of the request. */
  readonly path: string;
  readonly token?: string;
  /** Replace what is right; undefined removes it. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs with it in place of the key. */
  readonly secret?: string;
  readonly signWith?: KeyObject;
}

/** A proof that is right, unless something is replaced. */
export function makeProof({ key, method = 'POST', path, token, claims, header, secret, signWith }: Proof): string {
  const head = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header };
  const payload = {
    jti: randomUUID(),
    htm: method,
    htu: ADDRESS + path,
    iat: Math.floor(Date.now() / 1000),
    ...(token !== undefined && { ath: hashText(token) }),
    ...claims,
  };
  const text = [head, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const bytes = Buffer.from(text);
  const hash = key.alg === 'EdDSA' ? null : 'sha256';
  const signature =
    secret === undefined
      ? sign(hash, bytes, { key: signWith ?? key.privateKey, dsaEncoding: 'ieee-p1363' })
      : createHmac('sha256', secret).update(bytes).digest();
  return `${text}.${(head.alg as string) === 'none' ? '' : signature.toString('base64url')}`;
}

/** A request to the token endpoint with a proof. */
export const askWithProof = (
  server: CalledServer,
  client: Pick<TestClient, 'id' | 'secret'>,
  fields: Readonly<Record<string, string>>,
  proof: string,
): Promise<Answer> =>
  postForm(
    server,
    '/oauth/token',
    { client_id: client.id, ...(client.secret !== undefined && { client_secret: client.secret }), ...fields },
    { dpop: proof },
  );

/** A request with a bound access token and its proof. */
export const callBound = (
  server: CalledServer,
  method: string,
  path: string,
  token: string,
  proof: string,
): Promise<Answer> => server.call(method, path, { headers: { authorization: `DPoP ${token}`, dpop: proof } });
