import { readAuditList } from '../admin/audit-list.js';
import { pageHeaders } from '../admin/pagination.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { page, pageQuery, text } from './shared/docs.js';

export const getAdminAudit = defineEndpoint({
  method: 'GET',
  path: '/admin/audit',
  trailingSlash: true,
  caller: 'admin',
  query: {
    ...pageQuery,
    query: text('author:TEXT, action:TEXT or type:TEXT.'),
    organization_id: text('Only what concerns this organization.'),
  },
  id: 'adminListAudit',
  tag: 'Administration',
  summary: 'Lists the audit log, newest first.',
  answers: page('A page of entries.', { type: 'array', items: { $ref: '#/components/schemas/AuditEntry' } }),
  errors: ['badFilter'],
  async handler(app, { path, query }) {
    const { entries, total, page } = await readAuditList(app, query);
    return json(entries, 200, pageHeaders(path, query, page, total));
  },
});
