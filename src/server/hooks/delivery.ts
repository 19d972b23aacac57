import type { Delivery } from './contract.js';
import { HookFailure } from './failure.js';
import type { HookCaller } from './hook-caller.js';

/** Calls a hook that delivers a message. @param id the webhook-id of a message that may be repeated */
export async function deliverBy(
  caller: HookCaller,
  input: Readonly<Record<string, unknown>>,
  ip: string | null,
  id?: string,
): Promise<Delivery> {
  try {
    await caller.call(input, ip, id);
    return { isDone: true };
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    return { isDone: false, error: error.shown, isRefused: error.outcome === 'refused', reason: error.message };
  }
}
