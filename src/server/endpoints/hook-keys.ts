import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

/** For receivers of hooks with v1a secrets: they verify calls and cannot sign them. */
export const getHookKeys = defineEndpoint({
  method: 'GET',
  path: '/.well-known/webhooks.json',
  caller: 'none',
  id: 'getWebhookKeys',
  tag: 'Server',
  summary: 'Returns the public keys that verify calls of hooks.',
  answers: ok('JsonWebKeySet', 'The keys, each with its form in the Standard Webhooks as kid.'),
  handler({ config }) {
    const secrets = Object.values(config.hooks).flatMap((hook) => (hook.enabled ? (hook.secrets ?? []) : []));
    const keys = new Set(secrets.flatMap((secret) => (secret.version === 'v1a' ? [secret.publicKey] : [])));
    return json({ keys: [...keys].map(describeKey) }, 200, { 'Cache-Control': 'public, max-age=600' });
  },
});

/** RFC 8037. */
const describeKey = (publicKey: string) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(publicKey, 'base64').toString('base64url'),
  alg: 'EdDSA',
  use: 'sig',
  key_ops: ['verify'],
  kid: `whpk_${publicKey}`,
});
