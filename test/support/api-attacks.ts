/** Tokens that an API must refuse, and how. */
import { createPublicKey, generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto';
import { exportJWK } from 'jose';
import { type ApiIssuer, signWith } from './api-issuer.js';
import { readPayload } from './organizations.js';

export interface Attack {
  readonly what: string;
  /** What Authorization is. */
  readonly header: string;
  readonly status: 401 | 403;
  readonly error: string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * @param token a valid one
 * @returns what must be refused wherever the token is accepted
 */
export async function makeAttacks({ own, adminToken }: ApiIssuer, token: string): Promise<readonly Attack[]> {
  const claims = readPayload(token);
  const seconds = Math.floor(Date.now() / 1000);
  const [head, body, signature] = token.split('.') as [string, string, string];
  const header = { alg: own.alg, kid: own.kid, typ: 'JWT' };
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const strangerJwk = await exportJWK(stranger.publicKey);
  const foreign = { ...own, key: stranger.privateKey };
  const pem = createPublicKey({ key: own.publicJwk as JsonWebKey, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const hmac = (key: string) => signWith({ ...own, alg: 'HS256', key: new TextEncoder().encode(key) }, claims);
  const bearer = async (made: string | Promise<string>) => `Bearer ${await made}`;
  const invalid = { status: 401, error: 'invalid_token' } as const;
  const noUser = { status: 403, error: 'user_required' } as const;
  return [
    { what: 'a header without a token', header: 'Bearer', status: 401, error: 'token_missing' },
    { what: 'another scheme', header: `Basic ${token}`, status: 401, error: 'token_missing' },
    { what: 'no JWT', header: 'Bearer abc', ...invalid },
    { what: 'expired', header: await bearer(signWith(own, { ...claims, exp: seconds - 5 })), ...invalid },
    { what: 'without an expiry', header: await bearer(signWith(own, without('exp'))), ...invalid },
    { what: 'wrong audience', header: await bearer(signWith(own, { ...claims, aud: 'other' })), ...invalid },
    { what: 'no audience', header: await bearer(signWith(own, without('aud'))), ...invalid },
    { what: 'other issuer', header: await bearer(signWith(own, { ...claims, iss: 'https://a.example' })), ...invalid },
    { what: 'no issuer', header: await bearer(signWith(own, without('iss'))), ...invalid },
    { what: 'no user', header: await bearer(signWith(own, without('sub'))), ...invalid },
    { what: 'alg none', header: `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${body}.`, ...invalid },
    {
      what: 'alg none, with the key named',
      header: `Bearer ${encode({ ...header, alg: 'none' })}.${body}.`,
      ...invalid,
    },
    { what: 'HS256 with the public key as PEM', header: await bearer(hmac(String(pem))), ...invalid },
    { what: 'HS256 with the public key as JWK', header: await bearer(hmac(JSON.stringify(own.publicJwk))), ...invalid },
    { what: 'another key by the same name', header: await bearer(signWith(foreign, claims)), ...invalid },
    {
      what: 'a kid that is no text',
      header: `Bearer ${encode({ ...header, kid: 5 })}.${body}.${signature}`,
      ...invalid,
    },
    {
      what: 'a key that the token brings along',
      header: await bearer(signWith(foreign, claims, { jwk: strangerJwk, jku: 'https://a.example/jwks.json' })),
      ...invalid,
    },
    {
      what: 'a key that there is not',
      header: await bearer(signWith({ ...foreign, kid: randomUUID() }, claims)),
      ...invalid,
    },
    {
      what: 'changed claims',
      header: `Bearer ${head}.${encode({ ...claims, sub: randomUUID() })}.${signature}`,
      ...invalid,
    },
    { what: 'no signature', header: `Bearer ${head}.${body}.`, ...invalid },
    { what: 'the token of an administrator that never expires', header: `Bearer ${adminToken}`, ...invalid },
    {
      what: 'a user without a second factor yet',
      header: await bearer(signWith(own, { ...claims, role: 'mfa_pending' })),
      ...noUser,
    },
    { what: 'an administrator', header: await bearer(signWith(own, { ...claims, role: 'service_role' })), ...noUser },
    {
      what: 'a program',
      header: await bearer(signWith(own, { ...claims, role: 'anon', client_id: randomUUID() })),
      ...noUser,
    },
    {
      what: 'another application',
      header: await bearer(signWith(own, { ...claims, client_id: randomUUID() })),
      ...noUser,
    },
  ];
}
