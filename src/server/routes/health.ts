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

/** GET /health/ready: may take traffic, i.e. the database answers. */
export async function ready(app: App): Promise<Reply> {
  const isDatabaseReady = await app.db.isReady();
  return json({ ready: isDatabaseReady, database: isDatabaseReady ? 'up' : 'down' }, isDatabaseReady ? 200 : 503);
}
