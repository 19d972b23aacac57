/** Who a request counts as, for limits per client (decisions.md 17, SEC-68). */
import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Config } from '../config/settings.js';
import type { ApiRequest } from '../http/types.js';

/** Headers that carry addresses: X-Forwarded-For, X-Real-IP, CF-Connecting-IP, X-Envoy-External-Address … */
const CARRIES_ADDRESSES = /ip$|addr|forwarded/i;
/** What an operator's proxy may write to tell clients apart by something else than their address. */
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

export interface KeySource {
  /** RATE_LIMIT_HEADER in lower case; empty: none is named. */
  readonly header: string;
  /** RATE_LIMIT_TRUSTED_HOPS: the client is that element counted from the right; 0: the first element. */
  readonly trustedHops: number;
}

/**
 * @param lines what the configured header brought, one entry a line
 * @returns the client's key, or null when the header is absent or holds neither an address nor a usable id: such a
 *   request counts under its socket address
 */
export function readClientKey(lines: readonly string[], { header, trustedHops }: KeySource): string | null {
  // A proxy may add a line of its own instead of extending the client's (RFC 9110 5.3: the same list).
  const elements = lines.join(',').split(',');
  const element = elements[trustedHops === 0 ? 0 : elements.length - trustedHops]?.trim();
  if (!element) return null;
  const network = networkOf(element);
  if (network !== null) return network;
  // Garbage in a header of addresses must not become a bucket of its own: it would be a new one for the asking.
  if (CARRIES_ADDRESSES.test(header) || !CLIENT_ID.test(element)) return null;
  return `id:${createHash('sha256').update(element).digest('base64url')}`;
}

/** What a request counts as: what the header says, where one is named and usable, else the network of its socket. */
export function clientKeyOf(request: Pick<ApiRequest, 'headerLines' | 'socketAddress'>, source: KeySource): string {
  const key = source.header === '' ? null : readClientKey(request.headerLines(source.header), source);
  return key ?? socketKeyOf(request);
}

export const socketKeyOf = ({ socketAddress }: Pick<ApiRequest, 'socketAddress'>): string =>
  networkOf(socketAddress) ?? socketAddress;

/** @param config RATE_LIMIT_HEADER and RATE_LIMIT_TRUSTED_HOPS */
export const keySourceOf = (config: Pick<Config, 'rateLimitHeader' | 'rateLimitTrustedHops'>): KeySource => ({
  header: config.rateLimitHeader.toLowerCase(),
  trustedHops: config.rateLimitTrustedHops,
});

/**
 * The network an address counts as: IPv4 whole, IPv6 cut to the /64 one subscriber gets, mapped IPv4 unfolded.
 * @param text an address, also with a port (`192.0.2.1:80`, `[2001:db8::1]:80`) or a zone
 * @returns null when it is none
 */
export function networkOf(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return null;
  const groups = expand(bare.replace(/%.*$/, ''));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.');
  }
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** @param address a valid IPv6 address without zone. @returns its eight groups */
function expand(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const parse = (part: string) =>
    part.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)]));
  const left = parse(head);
  const right = tail === undefined ? [] : parse(tail);
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}
