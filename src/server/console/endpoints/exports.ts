import type { ActivityRow } from '../../../db/console-lists.js';
import type { UserRow } from '../../../db/user-rows.js';
import { consoleBody, defineConsole, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { type ExportSource, exportPage } from '../export-pages.js';
import { activityExport, exportFormats, userExport } from '../export-rows.js';
import { searchActivity } from '../find-activity.js';
import { searchUsers } from '../find-users.js';
import { deedOf } from '../operator-audit.js';

const users: ExportSource<UserRow> = {
  ...userExport,
  action: 'users_exported',
  async find(app, query, limit) {
    const { users: rows, nextCursor } = await searchUsers(app, query, limit);
    return { rows, nextCursor };
  },
};

const activity: ExportSource<ActivityRow> = {
  ...activityExport,
  action: 'activity_exported',
  async find({ db }, query, limit) {
    const { entries: rows, nextCursor } = await searchActivity(db, query, limit);
    return { rows, nextCursor };
  },
};

const shared = {
  method: 'POST',
  role: 'admin',
  stepUp: true,
  body: consoleBody(
    {
      format: { type: 'string', enum: exportFormats, description: 'csv or ndjson.' },
      filter: { type: 'object', description: 'Parameters of the search, as texts.' },
      cursor: textField('next_cursor of the page before, with the same format.'),
      ...reasonField,
    },
    'format',
  ),
  answer: {
    description: 'A page of up to 1000 rows. The export is over when next_cursor is null; a page may be empty.',
    body: objectOf({ text: { type: 'string' }, rows: { type: 'integer' }, next_cursor: orNull('string') }),
  },
  errors: ['badFilter', 'badPagination'],
} as const;

export const postUsersExport = defineConsole({
  ...shared,
  path: '/api/users/export',
  id: 'exportUsers',
  tag: 'Users',
  summary: 'Exports the users that a search finds, page by page. The first page is recorded.',
  async handler(app, request) {
    const { format, filter = {}, cursor } = request.body;
    return { status: 200, body: await exportPage(app, deedOf(request), users, { format, filter, cursor }) };
  },
});

export const postActivityExport = defineConsole({
  ...shared,
  path: '/api/activity/export',
  id: 'exportActivity',
  tag: 'Activity',
  summary: 'Exports the audit log, page by page. The first page is recorded.',
  async handler(app, request) {
    const { format, filter = {}, cursor } = request.body;
    return { status: 200, body: await exportPage(app, deedOf(request), activity, { format, filter, cursor }) };
  },
});
