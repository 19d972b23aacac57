import type { App } from '../app.js';
import { json, type Reply } from '../http/types.js';

/** GET /health: the loop turns. Touches nothing else, so a slow database does not get the process killed (REL-25). */
export function health(app: App): Reply {
  return json({
    version: app.version,
    name: 'Latchkey',
    description: 'Latchkey is an authentication and user management server',
  });
}

/** GET /health/ready: may take traffic (REL-25). 503 says why not, in words an operator can act on. */
export async function ready(app: App): Promise<Reply> {
  const { isReady, database, schema, isDraining } = await app.readiness.read();
  return json({ ready: isReady, database, schema, draining: isDraining }, isReady ? 200 : 503);
}
