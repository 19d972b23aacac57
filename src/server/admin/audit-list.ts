import { type AuditRow, readAuditPage } from '../../db/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { offsetOf, type PageRequest, readPage } from './pagination.js';

const SCOPED = /^(author|action|type):(.*)$/s;

/** GET /admin/audit. @throws ApiError badPagination, queryScopeInvalid */
export async function readAuditList(
  app: Pick<App, 'db'>,
  query: ReadonlyMap<string, string>,
): Promise<{ entries: AuditRow[]; total: number; page: PageRequest }> {
  const page = readPage(query);
  const filter = query.get('query');
  const [, scope, text = ''] = SCOPED.exec(filter ?? '') ?? [];
  if (filter && scope === undefined) throw apiError('queryScopeInvalid', { query: filter.slice(0, 100) });
  const match = scope === undefined ? null : { scope: scope as 'author' | 'action' | 'type', text };
  return { ...(await readAuditPage(app.db, { limit: page.perPage, offset: offsetOf(page), match })), page };
}
