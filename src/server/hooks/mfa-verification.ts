import type { MfaVerification } from './contract.js';
import { readDecision } from './decision.js';
import { HookFailure } from './failure.js';
import type { HookCaller } from './hook-caller.js';

/** The hook mfa_verification_attempt. @param isLenient AUTH_HOOK_LENIENT_DECISIONS */
export function openMfaVerification(caller: HookCaller, isLenient: boolean): MfaVerification {
  return {
    async decide({ userId, factorId, factorType, isValid, ip }) {
      const input = { user_id: userId, factor_id: factorId, factor_type: factorType, valid: isValid };
      try {
        return readDecision(await caller.call(input, ip), isLenient);
      } catch (error) {
        throw error instanceof HookFailure ? error.shown : error;
      }
    },
  };
}
