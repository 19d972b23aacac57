/** The decision of a hook about an attempt: continue or reject. */
import type { HookOutput } from './answer.js';
import { failed } from './failure.js';

export interface Rejection {
  /** From the hook; '': the usual text. */
  readonly message: string;
  readonly endsSessions: boolean;
}

/**
 * @param isLenient anything but reject continues, as in supabase/auth
 * @returns null: continue
 * @throws HookFailure for a decision that is neither continue nor reject
 */
export function readDecision(output: HookOutput, isLenient: boolean): Rejection | null {
  const { decision, message, should_logout_user: endsSessions } = output;
  if (decision === 'reject') {
    return { message: typeof message === 'string' ? message : '', endsSessions: endsSessions === true };
  }
  if (decision === undefined || decision === null || decision === 'continue' || isLenient) return null;
  throw failed('bad_answer', 'hookFailed', 'decision is neither continue nor reject');
}
