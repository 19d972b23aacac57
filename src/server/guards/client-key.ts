/** The key of a client for limits (docs/decisions.md, Rate-limit keys; SEC-68). */
import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Config } from '../config/settings.js';
import type { ApiRequest } from '../http/types.js';

/** Headers that carry addresses: X-Forwarded-For, X-Real-IP, CF-Connecting-IP, X-Envoy-External-Address … */
const CARRIES_ADDRESSES = /ip$|addr|forwarded/i;
const SB_FORWARDED_FOR = 'sb-forwarded-for';
/** An id other than an address, by which an operator's proxy identifies clients. */
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

export interface KeySource {
  /** RATE_LIMIT_HEADER in lower case; empty: none. */
  readonly header: string;
  /** RATE_LIMIT_TRUSTED_HOPS: position of the client's element from the right; 0: the first element. */
  readonly trustedHops: number;
  /** SECURITY_SB_FORWARDED_FOR_ENABLED: an address in Sb-Forwarded-For counts before that header. Default false. */
  readonly readsSbForwardedFor?: boolean;
}

/**
 * @param values of the configured header, one per occurrence
 * @returns the client's key; null when the header has neither an address nor a usable id, and the socket's address
 *   counts
 */
export function readClientKey(values: readonly string[], { header, trustedHops }: KeySource): string | null {
  const element = elementOf(values, trustedHops);
  if (!element) return null;
  const network = networkOf(element);
  if (network !== null) return network;
  // An invalid address must not become a key: a client could get a new bucket with each request.
  if (CARRIES_ADDRESSES.test(header) || !CLIENT_ID.test(element)) return null;
  return `id:${createHash('sha256').update(element).digest('base64url')}`;
}

/** @param trustedHops as in {@link KeySource} */
function elementOf(values: readonly string[], trustedHops: number): string | undefined {
  // A proxy may add another header instead of extending the client's (RFC 9110 5.3: the same list).
  const elements = values.join(',').split(',');
  return elements[trustedHops === 0 ? 0 : elements.length - trustedHops]?.trim();
}

/**
 * The address behind the key of a request, whole: from the configured header if it has one, else that of the socket. Other
 * headers are not read, since a client may send what it likes in them.
 */
export function clientAddressOf(
  request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>,
  { header, trustedHops, readsSbForwardedFor }: KeySource,
): string {
  const stated = readsSbForwardedFor === true ? addressIn(firstElement(request.headerValues(SB_FORWARDED_FOR))) : null;
  const configured = header === '' ? '' : (elementOf(request.headerValues(header), trustedHops) ?? '');
  return stated ?? addressIn(configured) ?? request.socketAddress;
}

/** The key of a request from its headers; null as for {@link readClientKey}. */
export function headerKeyOf(request: Pick<ApiRequest, 'headerValues'>, source: KeySource): string | null {
  if (source.readsSbForwardedFor === true) {
    const network = networkOf(firstElement(request.headerValues(SB_FORWARDED_FOR)));
    if (network !== null) return network;
  }
  return source.header === '' ? null : readClientKey(request.headerValues(source.header), source);
}

const firstElement = (values: readonly string[]): string => (values[0] ?? '').split(',', 1)[0]!.trim();

/** The key of a request: from the configured header if it is usable, else the network of its socket. */
export const clientKeyOf = (request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>, source: KeySource): string =>
  headerKeyOf(request, source) ?? socketKeyOf(request);

export const socketKeyOf = ({ socketAddress }: Pick<ApiRequest, 'socketAddress'>): string =>
  networkOf(socketAddress) ?? socketAddress;

/** @param config RATE_LIMIT_HEADER, RATE_LIMIT_TRUSTED_HOPS and SECURITY_SB_FORWARDED_FOR_ENABLED */
export const keySourceOf = (
  config: Pick<Config, 'rateLimitHeader' | 'rateLimitTrustedHops' | 'securitySbForwardedForEnabled'>,
): KeySource => ({
  header: config.rateLimitHeader.toLowerCase(),
  trustedHops: config.rateLimitTrustedHops,
  readsSbForwardedFor: config.securitySbForwardedForEnabled,
});

/** @returns the address in a text, without port and zone; null when it is none */
function addressIn(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? bare.replace(/%.*$/, '').toLowerCase() : null;
}

/**
 * The network of an address: IPv4 addresses whole, IPv6 as the /64 of one subscriber, mapped IPv4 as IPv4.
 * @param text an address, also with a port (`192.0.2.1:80`, `[2001:db8::1]:80`) or a zone
 * @returns null when it is none
 */
export function networkOf(text: string): string | null {
  const bare = addressIn(text);
  if (bare === null || isIPv4(bare)) return bare;
  const groups = expand(bare);
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
