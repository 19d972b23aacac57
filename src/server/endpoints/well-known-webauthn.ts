import { json } from '../http/types.js';
import { relatedOriginsOf } from '../webauthn/relying-party.js';
import { defineEndpoint } from './shared/define.js';

/** For the web server of the RP id's host to pass on (docs/passkeys.md, Related origins). */
export const getWebauthnOrigins = defineEndpoint({
  method: 'GET',
  path: '/.well-known/webauthn',
  caller: 'none',
  id: 'getRelatedOrigins',
  tag: 'Server',
  summary: 'Returns the origins that may use passkeys of this service.',
  description: 'Related origin requests (WebAuthn Level 3, 5.11).',
  answers: {
    200: {
      description: 'The origins of pages.',
      body: {
        type: 'object',
        properties: { origins: { type: 'array', items: { type: 'string' } } },
        required: ['origins'],
      },
    },
  },
  handler: ({ config }) => json({ origins: relatedOriginsOf(config) }),
});
