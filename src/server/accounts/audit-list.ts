import { type AuditRow, listAudit } from '../../db/audit.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { offsetOf, type PageRequest, readPage } from './pagination.js';

const SCOPED = /^(author|action|type):(.*)$/s;

/** GET /admin/audit (operations.md 1.14). @throws Refusal badPagination, queryScopeInvalid */
export async function readAudit(
  app: Pick<App, 'db'>,
  query: ReadonlyMap<string, string>,
): Promise<{ entries: AuditRow[]; total: number; page: PageRequest }> {
  const page = readPage(query);
  const asked = query.get('query');
  const [, scope, text = ''] = SCOPED.exec(asked ?? '') ?? [];
  if (asked && scope === undefined) throw refuse('queryScopeInvalid', { query: asked.slice(0, 100) });
  const match = scope === undefined ? null : { scope: scope as 'author' | 'action' | 'type', text };
  return { ...(await listAudit(app.db, { limit: page.perPage, offset: offsetOf(page), match })), page };
}
