import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { deedOf } from '../operator-audit.js';
import {
  promoteSigningKey,
  readSigningKeys,
  retireSigningKey,
  revokeSigningKey,
  rotateSigningKeys,
} from '../signing-keys.js';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
/** Of `latchkey keys rotate`, so that all verifiers have fetched the key. */
const USUAL_WAIT_SECONDS = 600;
const MAX_WAIT_SECONDS = 30 * 86_400;

const keys = objectOf({
  source: { type: 'string', description: 'environment (the settings) or database; only the latter are changed here.' },
  signing_kid: { type: 'string', description: 'Signs in the process that answers; empty: AUTH_JWT_SECRET.' },
  token_seconds: { type: 'integer', description: 'AUTH_JWT_EXP: no token lives longer.' },
  rotates_every_seconds: orNull('integer'),
  keys: listOf(
    objectOf({
      kid: text,
      alg: text,
      state: { type: 'string', description: 'standby, active, previous or retired.' },
      since: { type: 'string', description: 'When the state began; empty for keys of the settings.' },
      next_state_at: { ...orNull('string'), description: 'When a standby key signs, or a previous one is retired.' },
      last_used_at: { ...orNull('string'), description: 'The last minute in which it verified a token.' },
      tokens_live_until: { ...orNull('string'), description: 'When the last token of a previous key has expired.' },
    }),
  ),
});
const answer = { description: 'The keys, oldest first.', body: keys };
/** In the body: a kid may contain a slash. */
const kidField = { kid: { type: 'string', description: 'Of the key.' } } as const;
const errors = ['signingKeyNotFound', 'signingKeyState', 'signingKeysInSettings'] as const;

export const getKeys = defineConsole({
  method: 'GET',
  path: '/api/keys',
  role: 'viewer',
  id: 'readSigningKeys',
  tag: 'Keys',
  summary: 'Returns the keys of access tokens and their states.',
  answer,
  handler: async (app) => ({ status: 200, body: await readSigningKeys(app) }),
});

export const postKeysRotate = defineConsole({
  method: 'POST',
  path: '/api/keys/rotate',
  role: 'admin',
  stepUp: true,
  body: consoleBody({
    alg: { type: 'string', enum: ['ES256', 'EdDSA'], description: 'Default ES256.' },
    wait_seconds: {
      ...integer,
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: 'How long the key is published before it signs; default 600.',
    },
    ...reasonField,
  }),
  bodyOptional: true,
  id: 'rotateSigningKeys',
  tag: 'Keys',
  summary: 'Publishes a new key, which signs after the wait. While a rotation is under way it starts no other.',
  answer,
  errors: ['signingKeysInSettings'],
  async handler(app, request) {
    const { alg = 'ES256', wait_seconds: waitSeconds = USUAL_WAIT_SECONDS } = request.body;
    await rotateSigningKeys(app, deedOf(request), { alg, waitSeconds });
    return { status: 200, body: await readSigningKeys(app) };
  },
});

export const postKeyPromote = defineConsole({
  method: 'POST',
  path: '/api/keys/promote',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...kidField, ...reasonField }, 'kid'),
  id: 'promoteSigningKey',
  tag: 'Keys',
  summary: 'Makes a standby or previous key sign at once.',
  answer,
  errors,
  async handler(app, request) {
    await promoteSigningKey(app, deedOf(request), request.body.kid);
    return { status: 200, body: await readSigningKeys(app) };
  },
});

export const postKeyRetire = defineConsole({
  method: 'POST',
  path: '/api/keys/retire',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...kidField, ...reasonField }, 'kid'),
  id: 'retireSigningKey',
  tag: 'Keys',
  summary: 'Stops accepting a key whose tokens have expired.',
  answer,
  errors,
  async handler(app, request) {
    await retireSigningKey(app, deedOf(request), request.body.kid);
    return { status: 200, body: await readSigningKeys(app) };
  },
});

export const postKeyRevoke = defineConsole({
  method: 'POST',
  path: '/api/keys/revoke',
  role: 'owner',
  stepUp: true,
  body: consoleBody({ ...kidField, ...reasonField }, 'kid'),
  id: 'revokeSigningKey',
  tag: 'Keys',
  summary: 'Stops accepting a key at once, for example after a leak; clients refresh their tokens.',
  answer,
  errors,
  async handler(app, request) {
    await revokeSigningKey(app, deedOf(request), request.body.kid);
    return { status: 200, body: await readSigningKeys(app) };
  },
});
