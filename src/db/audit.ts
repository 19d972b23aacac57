/** The statements of sql/queries/audit.sql. */
import type { Database, SqlValue, Statements, TimePlace } from './types.js';

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

export interface AuditPageQuery {
  readonly limit: number;
  readonly offset: number;
  /** Text that one field contains, ignoring case; null: all entries. */
  readonly match: { readonly scope: 'author' | 'action' | 'type'; readonly text: string } | null;
  /** Null: of all, and of none. */
  readonly organizationId: string | null;
}

/** One page of entries, newest first, and the exact total. */
export async function readAuditPage(
  db: Database,
  query: AuditPageQuery,
): Promise<{ entries: AuditRow[]; total: number }> {
  type Row = ({ id: null } | AuditRow) & { total: number };
  const [name, values] = pageStatementOf(query);
  const rows = await db.run<Row>(name, values);
  const entries = rows.flatMap((row) => {
    if (row.id === null) return [];
    const { id, payload, created_at, ip_address } = row as AuditRow;
    return [{ id, payload, created_at, ip_address }];
  });
  return { entries, total: rows[0]?.total ?? 0 };
}

function pageStatementOf(query: AuditPageQuery): readonly [name: string, values: readonly SqlValue[]] {
  const { limit, offset, match, organizationId } = query;
  if (organizationId !== null) {
    return ['audit.matching_of_organization', [limit, offset, organizationId, match?.scope ?? null, match?.text ?? '']];
  }
  if (match === null) return ['audit.page', [limit, offset]];
  return ['audit.matching', [limit, offset, match.scope, match.text]];
}

/** What concerns an organization, newest first. @param place of the last one of the page before */
export const readAuditOfOrganization = (
  db: Database,
  organizationId: string,
  place: TimePlace | null,
  limit: number,
): Promise<AuditRow[]> =>
  db.run<AuditRow>('audit.of_organization', [organizationId, place?.createdAt ?? null, place?.id ?? null, limit]);

/** @returns the entries of what a user has done, newest first */
export const readAuditOf = (db: Database, userId: string, limit: number): Promise<readonly AuditRow[]> =>
  db.run<AuditRow>('audit.of_actor', [userId, limit]);
