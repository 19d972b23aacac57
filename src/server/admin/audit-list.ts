import { type AuditRow, readAuditPage } from '../../db/audit.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { offsetOf, type PageRequest, readPage } from './pagination.js';

const SCOPED = /^(author|action|type):(.*)$/s;

/** GET /admin/audit. @throws ApiError badPagination, queryScopeInvalid, badFilter */
export async function readAuditList(
  app: Pick<App, 'db'>,
  query: ReadonlyMap<string, string>,
): Promise<{ entries: AuditRow[]; total: number; page: PageRequest }> {
  const page = readPage(query);
  const filter = query.get('query');
  const [, scope, text = ''] = SCOPED.exec(filter ?? '') ?? [];
  if (filter && scope === undefined) throw apiError('queryScopeInvalid', { query: filter.slice(0, 100) });
  const match = scope === undefined ? null : { scope: scope as 'author' | 'action' | 'type', text };
  const organizationId = readOrganizationFilter(query.get('organization_id'));
  const wanted = { limit: page.perPage, offset: offsetOf(page), match, organizationId };
  return { ...(await readAuditPage(app.db, wanted)), page };
}

/** @returns as traits have it; null: not given. @throws ApiError badFilter */
export function readOrganizationFilter(text: string | undefined): string | null {
  if (!text) return null;
  const id = readUuid(text);
  if (id === null) throw apiError('badFilter', { reason: 'organization_id must be an UUID' });
  return id;
}
