import type { hookEntries } from '../../errors/hook-errors.js';
import type { Explanations } from './check-names.js';

const ask = '`latchkey check hook` calls it and shows what it answers.';

export const hookExplanations = {
  hookTimeout: ['hook', `A hook answered too late. ${ask}`],
  hookUnreachable: ['hook', `A hook could not be reached. ${ask}`],
  hookTooLarge: ['hook', `A hook answered too much. ${ask}`],
  hookContentType: ['hook', `A hook has to answer with JSON. ${ask}`],
  hookBadJson: ['hook', `A hook answered with something that is not JSON. ${ask}`],
  hookBadInput: ['hook', 'A hook answered 400. To refuse, it has to answer 200 with an error object.'],
  hookUnauthorized: ['hook', `A hook answered 401: its secret is another one. ${ask}`],
  hookBadStatus: ['hook', `A hook answered with a status that means nothing here. ${ask}`],
  hookUnavailable: ['hook', `A hook said that it is not available. ${ask}`],
  hookFailed: ['hook', `A hook failed. The log has the cause. ${ask}`],
  hookBusy: [
    'hook',
    'Too many calls of the hook were running, or the last ones failed. It is asked again after some seconds.',
  ],
  hookRefused: ['hook', 'Your hook refused this: the msg of the answer is its own.'],
  hookRefusedWith: ['hook', 'Your hook refused this: the msg of the answer is its own.'],
  passwordAttemptRejected: [
    'hook',
    'Your hook for password attempts refused this.',
    'AUTH_HOOK_PASSWORD_VERIFICATION_ATTEMPT_URI',
  ],
  hookClaimsMissing: [
    'hook',
    `The hook for access tokens answered without claims. ${ask}`,
    'AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI',
  ],
  hookClaimsInvalid: [
    'hook',
    `The hook for access tokens answered claims that are not valid. ${ask}`,
    'AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI',
  ],
} as const satisfies Explanations<typeof hookEntries>;
