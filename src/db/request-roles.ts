import { renderAppSchema } from './app-schema.js';
import { Connection, clientConfig } from './connection.js';

/**
 * Makes the roles `anon`, `authenticated` and `service_role`, where they are not there (sql/app-schema/request-roles.sql).
 * @param url of a role that may create roles
 */
export async function addRequestRoles(url: string): Promise<void> {
  const client = new Connection(
    clientConfig({ url, connectTimeoutMs: 5000, statementTimeoutMs: 0, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(renderAppSchema('request-roles', '', { schema: 'auth', takesInserts: false }));
  } finally {
    await client.end();
  }
}
