/** Plans are made on a read. If another request changes the account before the write, a new plan is made. */
import { isUniqueViolation } from '../../db/errors.js';
import { apiError } from '../errors.js';

const ATTEMPTS = 4;

/** Rolls back the transaction of a plan that no longer applies. */
export class StalePlanError extends Error {}

/** @throws StalePlanError if the statement returned no row */
export function requireRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new StalePlanError();
  return row;
}

/** @returns undefined when the plan is stale, or another account took a unique value (23505) */
export async function unlessStale<Row>(writing: Promise<Row | undefined>): Promise<Row | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof StalePlanError || isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/**
 * @param attempt plans and writes; returns undefined when its plan was stale
 * @throws ApiError unexpectedFailure after four stale plans
 */
export async function retryStalePlans<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw apiError('unexpectedFailure', {}, { cause: new Error('the account kept changing') });
}
