import type { PasswordVerification } from './contract.js';
import { readDecision } from './decision.js';
import { HookFailure } from './failure.js';
import type { HookCaller } from './hook-caller.js';

/** The hook password_verification_attempt. @param isLenient AUTH_HOOK_LENIENT_DECISIONS */
export function openPasswordVerification(caller: HookCaller, isLenient: boolean): PasswordVerification {
  return {
    async decide({ userId, isValid, ip }) {
      try {
        return readDecision(await caller.call({ user_id: userId, valid: isValid }, ip), isLenient);
      } catch (error) {
        throw error instanceof HookFailure ? error.shown : error;
      }
    },
  };
}
