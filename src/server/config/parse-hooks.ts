import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Parsed } from './parse.js';

const fault = (fault: string): { fault: string } => ({ fault });

/** Where a hook is called: an HTTP address, or a function in the database. */
export type HookUri =
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'function'; readonly schema: string; readonly name: string };

/** A key that signs calls (Standard Webhooks); keys are base64. */
export type HookSecret =
  | { readonly version: 'v1'; readonly key: string }
  | { readonly version: 'v1a'; readonly publicKey: string; readonly seed: string };

/** Hosts that may be called over http://. */
const PLAIN_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', 'host.docker.internal']);
const SQL_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** `https://…`, `http://…` on this machine, or `pg-functions://host/schema/function`, whose host is ignored. */
export function parseHookUri(text: string): Parsed<HookUri> {
  const word = text.trim();
  const called = /^pg-functions:\/\/[^/]*\/(.*)$/.exec(word);
  if (called !== null) {
    const [schema = '', name = '', ...rest] = called[1]!.split('/');
    if (rest.length === 0 && SQL_NAME.test(schema) && SQL_NAME.test(name)) {
      return { value: { kind: 'function', schema, name } };
    }
    return fault('must be pg-functions://postgres/schema/function, with names of letters, digits and underscores');
  }
  const url = URL.canParse(word) ? new URL(word) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) {
    return fault('must begin with https://, http:// or pg-functions://');
  }
  if (url.username !== '' || url.password !== '') return fault('must not hold a user name or password');
  if (url.protocol === 'http:' && !PLAIN_HOSTS.has(url.hostname)) {
    return fault('must begin with https://; http:// is for localhost, 127.0.0.1, ::1 and host.docker.internal');
  }
  return { value: { kind: 'http', url: url.href } };
}

/** Secrets parted by `|`, each `v1,whsec_<base64>` or `v1a,whpk_<base64>:whsk_<base64>`. */
export function parseHookSecrets(text: string): Parsed<HookSecret[]> {
  const secrets: HookSecret[] = [];
  for (const [index, item] of text.split('|').entries()) {
    const parsed = parseSecret(item.trim());
    if ('fault' in parsed) return fault(`must be a list parted by |, whose entry ${index + 1} ${parsed.fault}`);
    secrets.push(parsed.value);
  }
  return { value: secrets };
}

function parseSecret(text: string): Parsed<HookSecret> {
  if (text.startsWith('v1,')) {
    const key = /^v1,whsec_([A-Za-z0-9+/=]{32,88})$/.exec(text)?.[1];
    if (key === undefined) return fault('is v1,whsec_ followed by 32 to 88 characters of base64');
    return isBase64(key) ? { value: { version: 'v1', key } } : fault('holds base64 that cannot be decoded');
  }
  const pair = /^v1a,whpk_([A-Za-z0-9+/=]+):whsk_([A-Za-z0-9+/=]+)$/.exec(text);
  if (pair === null) return fault('begins with v1,whsec_ or is v1a,whpk_<public key>:whsk_<private key>');
  const [publicKey, privateKey] = [pair[1]!, pair[2]!];
  if (!isBase64(publicKey) || !isBase64(privateKey)) return fault('holds base64 that cannot be decoded');
  const bytes = Buffer.from(privateKey, 'base64');
  // A private key of Ed25519 is the seed (RFC 8032), which libraries often store with the public key behind it.
  if (bytes.length !== 32 && bytes.length !== 64) return fault('has a private key of Ed25519 with 32 or 64 bytes');
  const seed = bytes.subarray(0, 32);
  if (!publicKeyOf(seed).equals(Buffer.from(publicKey, 'base64'))) return fault('is two keys of one pair');
  return { value: { version: 'v1a', publicKey, seed: seed.toString('base64') } };
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
}

/** The header of an Ed25519 private key in PKCS #8 (RFC 8410, 7). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function publicKeyOf(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}
