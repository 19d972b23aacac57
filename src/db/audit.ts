/** The statements of sql/queries/audit.sql. */
import type { Database, Statements } from './types.js';

/** Stores audit entries that no other statement stores. */
export async function appendAudit(statements: Statements, entries: readonly object[]): Promise<void> {
  if (entries.length > 0) await statements.run('audit.append', [JSON.stringify(entries)]);
}

export interface AuditRow {
  id: string;
  payload: Readonly<Record<string, unknown>>;
  created_at: string;
  ip_address: string;
}

/**
 * One page of entries, newest first, and the exact total.
 * @param match text that one field contains, ignoring case; null: all entries
 */
export async function readAuditPage(
  db: Database,
  query: { limit: number; offset: number; match: { scope: 'author' | 'action' | 'type'; text: string } | null },
): Promise<{ entries: AuditRow[]; total: number }> {
  const { limit, offset, match } = query;
  type Row = ({ id: null } | AuditRow) & { total: number };
  const rows =
    match === null
      ? await db.run<Row>('audit.page', [limit, offset])
      : await db.run<Row>('audit.matching', [limit, offset, match.scope, match.text]);
  const entries = rows.flatMap((row) => {
    if (row.id === null) return [];
    const { id, payload, created_at, ip_address } = row as AuditRow;
    return [{ id, payload, created_at, ip_address }];
  });
  return { entries, total: rows[0]?.total ?? 0 };
}

/** @returns the entries of what a user has done, newest first */
export const readAuditOf = (db: Database, userId: string, limit: number): Promise<readonly AuditRow[]> =>
  db.run<AuditRow>('audit.of_actor', [userId, limit]);
