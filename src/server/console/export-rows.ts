/** Rows of an export as CSV (RFC 4180) or as one JSON object a line. */
import type { ActivityRow } from '../../db/console-lists.js';
import type { UserRow } from '../../db/user-rows.js';
import { viewListedUser } from '../accounts/user-view.js';

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

type Cell = string | number | boolean | object | null | undefined;

/** How a kind of row becomes cells, in the order of the columns, and an object. */
export interface ExportKind<Row> {
  readonly columns: readonly string[];
  cells(row: Row): readonly Cell[];
  view(row: Row): object;
}

export const userExport: ExportKind<UserRow> = {
  columns: [
    'id',
    'aud',
    'role',
    'email',
    'phone',
    'email_confirmed_at',
    'phone_confirmed_at',
    'created_at',
    'updated_at',
    'last_sign_in_at',
    'banned_until',
    'is_anonymous',
    'providers',
    'app_metadata',
    'user_metadata',
  ],
  cells: (user) => [
    user.id,
    user.aud,
    user.role,
    user.email,
    user.phone,
    user.email_confirmed_at,
    user.phone_confirmed_at,
    user.created_at,
    user.updated_at,
    user.last_sign_in_at,
    user.banned_until,
    user.is_anonymous,
    [...new Set(user.identities.map(({ provider }) => provider))].join(' '),
    user.app_metadata,
    user.user_metadata,
  ],
  view: viewListedUser,
};

export const activityExport: ExportKind<ActivityRow> = {
  columns: ['id', 'created_at', 'action', 'log_type', 'actor_id', 'actor_username', 'traits', 'ip_address'],
  cells: ({ id, created_at, payload, ip_address }) => [
    id,
    created_at,
    ...['action', 'log_type', 'actor_id', 'actor_username', 'traits'].map((name) => payload[name] as Cell),
    ip_address,
  ],
  view: (row) => row,
};

/** @param isFirst the first page has the names of the columns */
export function renderRows<Row>(
  kind: ExportKind<Row>,
  format: ExportFormat,
  rows: readonly Row[],
  isFirst: boolean,
): string {
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(kind.view(row))}\n`).join('');
  const lines = rows.map((row) => kind.cells(row).map(renderCell).join(','));
  if (isFirst) lines.unshift(kind.columns.join(','));
  return lines.map((line) => `${line}\r\n`).join('');
}

/**
 * A cell in quotes. Spreadsheets calculate what begins like a formula, and users choose their metadata, so that such a text
 * gets an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function renderCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return `"${(/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
