/** Exports page by page: what begins one is in the audit log, and its cursor grants the rest of it. */
import type { AuditAction } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type ExportFormat, type ExportKind, renderRows } from './export-rows.js';
import type { Query } from './list-query.js';
import { type OperatorDeed, recordDeed } from './operator-audit.js';

const PAGE_ROWS = 1000;

/** What is exported: it goes from page to page in the cursor. */
interface ExportPlan {
  readonly format: ExportFormat;
  readonly filter: Readonly<Record<string, string>>;
}

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly filter: Readonly<Record<string, unknown>>;
  /** next_cursor of the page before; undefined: the export begins. */
  readonly cursor: string | undefined;
}

interface Found<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

export interface ExportSource<Row> extends ExportKind<Row> {
  readonly action: AuditAction;
  /** @throws ApiError badFilter, badPagination */
  find(app: App, query: Query, limit: number): Promise<Found<Row>>;
}

/**
 * One page. Without a cursor it begins an export, which is recorded. A cursor is sealed for its operator, so that nobody makes
 * one for what was not recorded.
 * @throws ApiError badFilter, badPagination
 */
export async function exportPage<Row>(
  app: App,
  deed: OperatorDeed,
  source: ExportSource<Row>,
  { format, filter, cursor }: ExportRequest,
) {
  const context = `export ${source.action} ${deed.operator.id}`;
  const sealer = app.keys.flowSealer;
  const [plan, place] = cursor === undefined ? [{ format, filter: readTexts(filter) }, ''] : open(cursor);
  const query = new Map(Object.entries({ ...plan.filter, cursor: place }));
  const { rows, nextCursor } = await source.find(app, query, PAGE_ROWS);
  if (cursor === undefined) await recordDeed(app, deed, source.action, { format, filter: plan.filter });
  return {
    text: renderRows(source, plan.format, rows, cursor === undefined),
    rows: rows.length,
    next_cursor: nextCursor === null ? null : sealer.seal(context, JSON.stringify([plan, nextCursor])),
  };

  function open(sealed: string): [ExportPlan, string] {
    const text = sealer.open(context, sealed);
    if (text === null) throw apiError('badPagination', { reason: 'cursor is not one of this export' });
    return JSON.parse(text) as [ExportPlan, string];
  }
}

/** @throws ApiError badFilter */
function readTexts(filter: ExportRequest['filter']): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(filter)) {
    if (typeof value !== 'string') throw apiError('badFilter', { reason: `${name.slice(0, 32)} must be a text` });
  }
  return filter as Readonly<Record<string, string>>;
}
