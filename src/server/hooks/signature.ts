/** Signs calls as Standard Webhooks does (https://github.com/standard-webhooks/standard-webhooks). */
import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { HookSecret } from '../config/settings.js';

type Signer = (text: string) => string;

/** The header of an Ed25519 private key in PKCS #8 (RFC 8410, 7). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Prepares the keys of a hook.
 * @returns makes the headers of one try; without keys only id and time
 */
export function prepareSigning(
  secrets: readonly HookSecret[],
): (id: string, timestampSeconds: number, body: string) => Record<string, string> {
  const signers = secrets.map(makeSigner);
  return (id, timestampSeconds, body) => {
    const text = `${id}.${timestampSeconds}.${body}`;
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      ...(signers.length > 0 && { 'webhook-signature': signers.map((signer) => signer(text)).join(' ') }),
    };
  };
}

function makeSigner(secret: HookSecret): Signer {
  if (secret.version === 'v1') {
    const key = Buffer.from(secret.key, 'base64');
    return (text) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  }
  const key = readPrivateKey(secret.seed);
  return (text) => `v1a,${sign(null, Buffer.from(text), key).toString('base64')}`;
}

function readPrivateKey(seed: string): KeyObject {
  const der = Buffer.concat([ED25519_PKCS8, Buffer.from(seed, 'base64')]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
