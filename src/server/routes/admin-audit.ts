import { readAudit } from '../accounts/audit-list.js';
import { pageHeaders } from '../accounts/pagination.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';

/** GET /admin/audit (operations.md 1.14). */
export async function listAudit(app: App, { path, query }: ApiRequest): Promise<Reply> {
  const { entries, total, page } = await readAudit(app, query);
  return json(entries, 200, pageHeaders(path, query, page, total));
}
