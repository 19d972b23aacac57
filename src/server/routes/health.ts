import { isOperator } from '../accounts/caller.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';

/**
 * GET /health: the loop turns. Touches nothing else, so a slow database does not get the process killed (REL-25). The
 * version is for operators: it says which faults a server has (SEC-97).
 */
export function health(app: App, { bearerToken }: ApiRequest): Reply {
  return json({
    version: isOperator(app, bearerToken) ? app.version : '',
    name: 'Latchkey',
    description: 'Latchkey is an authentication and user management server',
  });
}

/** GET /health/ready: may take traffic (REL-25). Operators read why not, in words they can act on (SEC-97). */
export async function ready(app: App, { bearerToken }: ApiRequest): Promise<Reply> {
  const { isReady, database, schema, isDraining } = await app.readiness.read();
  const why = isOperator(app, bearerToken) ? { database, schema, draining: isDraining } : {};
  return json({ ready: isReady, ...why }, isReady ? 200 : 503);
}
