/** The address of a client. The proxy protocol is not supported (SEC-19). */
import { isIP } from 'node:net';

/** Counts before X-Forwarded-For where AUTH_SECURITY_SB_FORWARDED_FOR_ENABLED is on. */
export const SB_FORWARDED_FOR = 'sb-forwarded-for';

/** Most requests come from few addresses: those of proxies. */
let lastBytes: Uint8Array = new Uint8Array(0);
let lastText = '';

/** {@link formatAddress}, with the last result cached. */
export function formatCachedAddress(bytes: Uint8Array): string {
  if (!isSame(bytes, lastBytes)) {
    lastText = formatAddress(bytes);
    lastBytes = bytes;
  }
  return lastText;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** @param bytes 4 or 16, from the engine. @returns IPv4 also for mapped addresses; '' for none */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  if (isMapped(bytes)) return bytes.subarray(12).join('.');
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i]! << 8) | bytes[i + 1]!).toString(16));
  // RFC 5952 4.2: the longest run of two or more zero groups, the first of equals, becomes `::`.
  let best = '';
  for (const run of groups.join(':').matchAll(/\b0(?::0)+\b/g)) if (run[0].length > best.length) best = run[0];
  const text = groups.join(':');
  return best === '' ? text : text.replace(new RegExp(`(?:^|:)${best}(?::|$)`), '::');
}

function isMapped(bytes: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

/**
 * The client's address as the request states it (docs/decisions.md, Client addresses). Anyone can set the header, so it
 * is never the key of a limit.
 * @param forwardedFor value of X-Forwarded-For
 * @param readSocketAddress called only when the header has no address
 */
export function readClientIp(forwardedFor: string | undefined, readSocketAddress: () => string | null): string | null {
  if (forwardedFor !== undefined) {
    for (const entry of forwardedFor.split(',')) {
      const address = entry.trim();
      if (isIP(address) === 0) continue;
      // The zone in `fe80::1%eth0` is local to another machine, and Postgres's inet has none (RFC 4007 11).
      const zone = address.indexOf('%');
      return zone === -1 ? address : address.slice(0, zone);
    }
  }
  return readSocketAddress() || null;
}
