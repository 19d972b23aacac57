import { json } from '../http/types.js';
import { isAdminToken } from '../sessions/administrator.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

/**
 * Liveness. It depends on nothing else, so that a slow database does not restart the process (REL-25). Only
 * administrators see the version, which would reveal known vulnerabilities (SEC-97); the session of one is looked up for it.
 */
export const getHealth = defineEndpoint({
  method: 'GET',
  path: '/health',
  caller: 'none',
  quiet: true,
  id: 'getHealth',
  tag: 'Server',
  summary: 'Liveness: the event loop runs.',
  description: 'With the token of an administrator it includes the version.',
  answers: ok('Health', 'The server runs.'),
  handler: async (app, { bearerToken }) =>
    json({
      version: (await isAdminToken(app, bearerToken)) ? app.version : '',
      name: 'Latchkey',
      description: 'Latchkey is an authentication and user management server',
    }),
});

/** Readiness (REL-25). Only administrators see the reason (SEC-97). */
export const getHealthReady = defineEndpoint({
  method: 'GET',
  path: '/health/ready',
  caller: 'none',
  quiet: true,
  id: 'getReadiness',
  tag: 'Server',
  summary: 'Readiness: the server accepts traffic.',
  description:
    'With the token of an administrator it includes the reason, and the generation of the configuration: 1 at the start, and one more after each reload.',
  answers: { ...ok('Readiness', 'Ready.'), 503: { description: 'Not ready.', body: 'Readiness' } },
  async handler(app, { bearerToken }) {
    const { isReady, database, schema, isDraining } = await app.readiness.read();
    const why = (await isAdminToken(app, bearerToken))
      ? { database, schema, draining: isDraining, generation: app.generation }
      : {};
    const body = { ready: isReady, ...why };
    return isReady ? json(body) : { ...json(body, 503), headers: { 'Retry-After': '1' } };
  },
});
