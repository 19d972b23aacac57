/** The statements of sql/queries/records.sql about refused requests. */
import type { Database, TimePlace } from './types.js';

export interface RefusalInput {
  /** RFC 3339. */
  readonly created_at: string;
  readonly request_id: string;
  readonly method: string;
  readonly route: string | null;
  readonly grant_type: string | null;
  readonly status: number;
  readonly error_code: string;
  readonly error: string;
  readonly steps: string;
  readonly reason: string | null;
  readonly limit_name: string | null;
  readonly user_id: string | null;
  readonly ip: string | null;
  /** How many before it were not kept. */
  readonly left_out: number;
}

export type RefusalRow = RefusalInput & { readonly id: string };

export async function insertRefusals(db: Database, refusals: readonly RefusalInput[]): Promise<void> {
  await db.run('records.insert_refusals', [JSON.stringify(refusals)]);
}

/** Newest first. */
export const findRefusalsOfRequest = (db: Database, requestId: string, limit: number): Promise<RefusalRow[]> =>
  db.run<RefusalRow>('records.refusals_of_request', [requestId, limit]);

export interface RefusalFilter {
  readonly userId: string | null;
  readonly errorCode: string | null;
  /** RFC 3339, or -infinity. */
  readonly from: string;
}

/** Newest first. */
export function findRefusals(
  db: Database,
  { userId, errorCode, from }: RefusalFilter,
  { createdAt, id }: TimePlace,
  limit: number,
): Promise<RefusalRow[]> {
  const page = [createdAt, id, from, limit];
  if (userId !== null) return db.run<RefusalRow>('records.refusals_of_user', [...page, userId, errorCode]);
  if (errorCode !== null) return db.run<RefusalRow>('records.refusals_with_code', [...page, errorCode]);
  return db.run<RefusalRow>('records.refusals', page);
}
