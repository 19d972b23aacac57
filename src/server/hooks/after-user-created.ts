import type { AfterUserCreated } from './contract.js';
import { HookFailure } from './failure.js';
import type { HookCaller } from './hook-caller.js';

/** The hook after_user_created. Its refusal with a status below 500 is an answer; after anything else it is called again. */
export function openAfterUserCreated(caller: HookCaller): AfterUserCreated {
  return {
    async announce(user, ip, id) {
      try {
        await caller.call({ user }, ip, id);
      } catch (error) {
        const isFinal = error instanceof HookFailure && error.outcome === 'refused' && error.shown.status < 500;
        if (!isFinal) throw error;
      }
    },
  };
}
