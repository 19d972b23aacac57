/** The public keys as clients and gateways fetch them (RFC 7517 5). */
import { createHash } from 'node:crypto';
import { memoize } from '../../caching/memoize.js';
import { publicMembers, type TokenKey } from '../../jws/jwk.js';
import type { KeySet } from './key-set.js';

export interface JwksAnswer {
  /** JSON. */
  readonly body: string;
  /** A strong validator (RFC 9110 8.8.3), in quotes. */
  readonly etag: string;
  readonly maxAgeSeconds: number;
}

/** Only members that a verifier needs: WebCrypto refuses or ignores others. */
const describeKey = ({ kid, alg, jwk }: TokenKey): object => ({
  ...publicMembers(jwk),
  kid,
  alg,
  use: 'sig',
  key_ops: ['verify'],
});

const renderSet = memoize(({ published }: KeySet) => {
  const body = JSON.stringify({ keys: published.map(describeKey) });
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
});

/** Rendered once per set. */
export const makeJwks = (set: KeySet, maxAgeSeconds: number): JwksAnswer => ({ ...renderSet(set), maxAgeSeconds });
