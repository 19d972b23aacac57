import { type Answer, JWT_SECRET, openTestServer, type TestServer } from './server.js';
import type { Test } from './tap.js';
import { signTestToken } from './tokens.js';

export interface AdminServer extends TestServer {
  /** Calls the server as an operator. */
  admin(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The audit entries so far, oldest first, without those of a kind of their own. */
  audit(action?: string): Promise<AuditPayload[]>;
}

export interface AuditPayload {
  actor_id: string;
  actor_username: string;
  action: string;
  log_type: string;
  traits?: Record<string, unknown>;
}

/** A token such as `latchkey token` prints. */
export const adminToken = (claims: Record<string, unknown> = {}): string =>
  signTestToken({ role: 'service_role', ...claims }, JWT_SECRET);

/** The calls of an operator on any server. */
export const asAdmin =
  ({ call }: Pick<TestServer, 'call'>) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    call(method, path, { bearer: adminToken(), headers, ...(body === undefined ? {} : { body }) });

/** @param reach changes the URL at which the server finds its database */
export async function openAdminServer(
  t: Test,
  settings: Record<string, string> = {},
  reach?: (databaseUrl: string) => Promise<string>,
): Promise<AdminServer> {
  const server = await openTestServer(t, settings, reach);
  return {
    ...server,
    admin: asAdmin(server),
    async audit(action) {
      const { rows } = await server.database.admin.query<{ payload: AuditPayload }>(
        "select payload from audit_log where $1::text is null or payload ->> 'action' = $1 order by created_at",
        [action ?? null],
      );
      return rows.map(({ payload }) => payload);
    },
  };
}
