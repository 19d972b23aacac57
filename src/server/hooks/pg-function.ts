/** Calls a hook that is a function in the database. */
import {
  callFunction,
  explainFunctionFault,
  type FunctionName,
  isFunctionTimeout,
  raisedErrorOf,
} from '../../db/functions.js';
import type { Database } from '../../db/types.js';
import { type HookOutput, readOutput, refusal } from './answer.js';
import { failed, HookFailure } from './failure.js';

/** Longest time of a function, which holds a connection. */
export const MAX_FUNCTION_SECONDS = 2;

/**
 * @param timeoutSeconds at most {@link MAX_FUNCTION_SECONDS} count
 * @throws HookFailure; DatabaseUnavailableError and PoolExhaustedError without a connection
 */
export async function callHookFunction(
  db: Database,
  called: FunctionName,
  body: string,
  timeoutSeconds: number,
): Promise<HookOutput> {
  const seconds = Math.min(timeoutSeconds, MAX_FUNCTION_SECONDS);
  let value: string | null;
  try {
    value = await callFunction(db, called, body, seconds * 1000);
  } catch (error) {
    const raised = raisedErrorOf(error);
    if (raised !== undefined && raised.message !== '') throw refusal(raised.status, raised.message);
    const reason = explainFunctionFault(error, called);
    if (isFunctionTimeout(error)) throw failed('timeout', 'hookTimeout', reason, { seconds: seconds.toFixed(6) });
    const { code } = error as { code?: string };
    if (code === 'DATABASE_UNAVAILABLE' || code === 'POOL_EXHAUSTED') throw error;
    throw failed('bad_answer', 'hookFailed', reason);
  }
  try {
    return value === null ? {} : readOutput(value);
  } catch (error) {
    if (!(error instanceof HookFailure) || error.outcome === 'refused') throw error;
    const reason = `${called.schema}.${called.name}(jsonb) must return json or jsonb with an object: ${error.message}`;
    throw new HookFailure(error.outcome, error.shown, reason);
  }
}
