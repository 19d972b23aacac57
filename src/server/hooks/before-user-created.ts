import type { BeforeUserCreated } from './contract.js';
import { HookFailure } from './failure.js';
import type { HookCaller } from './hook-caller.js';

/** The hook before_user_created: an account is created unless it answers with an error object or fails. */
export function openBeforeUserCreated(caller: HookCaller): BeforeUserCreated {
  return {
    async assertAllowed(user, ip) {
      try {
        await caller.call({ user }, ip);
      } catch (error) {
        throw error instanceof HookFailure ? error.shown : error;
      }
    },
  };
}
