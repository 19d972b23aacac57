/** What all SAML messages share: how they are sent, who they are from, their status, and what comes of one that is refused. */
import { inflateRawSync } from 'node:zlib';
import type { RefusedSaml, SamlMessage, UnverifiedMessage } from '../saml-wire.js';
import { ASSERTION, PROTOCOL } from './signatures.js';
import { childrenOf, SamlError, textOf, type Xml, type XmlElement } from './xml.js';

const MAX_BYTES = 262_144;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** @returns what it says of itself, of which nothing is verified */
export function peekMessage(xml: Xml, message: SamlMessage): UnverifiedMessage | RefusedSaml {
  return refusing(() => {
    const root = xml.parse(decodeMessage(message));
    const found = childrenOf(root, ASSERTION, 'Assertion')[0];
    const issuer = readIssuer(root) || (found === undefined ? '' : readIssuer(found));
    if (issuer === '') throw new SamlError('issuer', 'it names no issuer');
    return { issuer };
  });
}

/** A message that the libraries choke on is refused like any other. */
export function refusing<Found>(read: () => Found): Found | RefusedSaml {
  try {
    return read();
  } catch (error) {
    if (error instanceof SamlError) return { refusal: error.refusal, detail: error.message };
    return { refusal: 'malformed', detail: `it cannot be read: ${(error as Error).name}` };
  }
}

/** @throws SamlError unreadable */
export function decodeMessage({ text, isDeflated }: SamlMessage): string {
  const base64 = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new SamlError('unreadable', 'it is not in base64');
  const bytes = isDeflated ? inflate(Buffer.from(base64, 'base64')) : Buffer.from(base64, 'base64');
  assertNotLarger(bytes.length);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlError('unreadable', 'it is not in UTF-8');
  }
}

/** @throws SamlError unreadable */
export function assertNotLarger(bytes: number): void {
  if (bytes > MAX_BYTES) throw new SamlError('unreadable', 'it is larger than 256 KiB');
}

/** Not beyond what may be read: a few bytes can become gigabytes. */
function inflate(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    throw new SamlError('unreadable', 'it is not deflated, or larger than 256 KiB');
  }
}

export const readIssuer = (parent: XmlElement): string => textOf(childrenOf(parent, ASSERTION, 'Issuer')[0]);

/** @throws SamlError status: it is another one than success */
export function assertStatus(root: XmlElement): void {
  const [status, ...more] = childrenOf(root, PROTOCOL, 'Status');
  const codes = status === undefined ? [] : childrenOf(status, PROTOCOL, 'StatusCode');
  const code = codes[0]?.getAttribute('Value') ?? '';
  if (more.length > 0 || codes.length !== 1) throw new SamlError('status', 'it does not have one status');
  if (code === SUCCESS) return;
  const inner = childrenOf(codes[0]!, PROTOCOL, 'StatusCode')[0]?.getAttribute('Value') ?? '';
  const names = [code, inner].map((uri) => uri.replace(/^.*:/, '').replace(/\W+/g, '').slice(0, 40));
  throw new SamlError('status', `the provider answers ${names.filter((name) => name !== '').join(', ')}`);
}
