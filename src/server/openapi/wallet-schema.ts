/** Schemas of sign-in with a wallet (built in wallets/). */
import type { JsonSchema } from './contract.js';

export const walletNonce: JsonSchema = {
  type: 'object',
  properties: {
    nonce: { type: 'string', description: 'For the line Nonce of a message.' },
    expires_at: { type: 'integer', description: 'Its end in Unix time.' },
  },
  required: ['nonce', 'expires_at'],
};
