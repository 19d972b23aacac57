/** Typed door to sql/queries/audit.sql. */
import type { Database } from './types.js';

/** Stores entries that belong to no other statement. */
export async function appendAudit(db: Database, entries: readonly object[]): Promise<void> {
  if (entries.length > 0) await db.run('audit.append', [JSON.stringify(entries)]);
}
