/** Signatures of OAuth 1.0a (RFC 5849 3.4). */
import { createHmac } from 'node:crypto';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** Secrets of the client and of the token, empty while there is no token. */
export interface Secrets {
  readonly clientSecret: string;
  readonly tokenSecret: string;
}

/** RFC 5849 3.6: stricter than encodeURIComponent, which leaves `!'()*`. */
export function encodePercent(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * RFC 5849 3.4.1.
 * @param url with its query, whose parameters take part
 * @param pairs those of the Authorization header, and of a form if there is one; without `realm` and `oauth_signature`
 */
export function makeBaseString(method: string, url: string, pairs: Pairs): string {
  const { protocol, host, pathname, searchParams } = new URL(url);
  const encoded = [...pairs, ...searchParams].map(
    ([name, value]) => [encodePercent(name), encodePercent(value)] as const,
  );
  // By name, then by value, as bytes; what is encoded is ASCII.
  encoded.sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)));
  const parameters = encoded.map(([name, value]) => `${name}=${value}`).join('&');
  return [method.toUpperCase(), `${protocol}//${host}${pathname}`, parameters].map(encodePercent).join('&');
}

/** HMAC-SHA1 (RFC 5849 3.4.2), the only method of Twitter. */
export function signBaseString(baseString: string, { clientSecret, tokenSecret }: Secrets): string {
  const key = `${encodePercent(clientSecret)}&${encodePercent(tokenSecret)}`;
  return createHmac('sha1', key).update(baseString).digest('base64');
}

/** RFC 5849 3.5.1: the value of the Authorization header, signature included. */
export function makeAuthorization(method: string, url: string, pairs: Pairs, secrets: Secrets): string {
  const signature = signBaseString(makeBaseString(method, url, pairs), secrets);
  const all = [...pairs, ['oauth_signature', signature] as const].sort(([a], [b]) => compare(a, b));
  return `OAuth ${all.map(([name, value]) => `${encodePercent(name)}="${encodePercent(value)}"`).join(',')}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
