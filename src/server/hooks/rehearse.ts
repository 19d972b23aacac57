/** Calls a hook with an input as a request would, for rehearse-call.ts. */
import { randomUUID } from 'node:crypto';
import type { Config, HookName } from '../config/settings.js';
import { EXAMPLE_IP as IP } from '../outbox/examples.js';
import { openAfterUserCreated } from './after-user-created.js';
import { openBeforeUserCreated } from './before-user-created.js';
import { openCustomAccessToken } from './custom-access-token.js';
import { openMfaVerification } from './mfa-verification.js';
import { openPasswordVerification } from './password-verification.js';
import { mailEvents, type Rehearsal, rehearseMail, rehearseText, textEvents } from './rehearse-messages.js';

/** What may cause a call of a hook; the first one is the default. */
export const hookEvents: Readonly<Record<HookName, readonly string[]>> = {
  custom_access_token: [
    'password',
    'otp',
    'oauth',
    'recovery',
    'magiclink',
    'email/signup',
    'token_refresh',
    'anonymous',
    'web3',
  ],
  password_verification_attempt: ['right', 'wrong'],
  mfa_verification_attempt: ['right', 'wrong'],
  before_user_created: ['signup'],
  after_user_created: ['signup'],
  send_email: mailEvents,
  send_sms: textEvents,
};

/** What each hook is asked. @returns what its answer leads to. @throws ApiError of the hook, or of its answer */
const rehearsals: Readonly<Record<HookName, (rehearsal: Rehearsal) => Promise<string>>> = {
  async custom_access_token({ caller, config, user, event: method, log }) {
    const hook = openCustomAccessToken({ caller, cacheSeconds: 0, failOpen: false, log });
    const asked = claimsOf(user, config, method);
    const claims = await hook.decide({ asked, method, ip: IP, version: '' });
    const changed = Object.keys({ ...asked, ...claims }).filter(
      (name) => JSON.stringify(asked[name]) !== JSON.stringify(claims[name]),
    );
    return `the claims fit; changed: ${changed.join(', ') || 'none'}`;
  },
  async password_verification_attempt({ caller, config, user, event }) {
    const hook = openPasswordVerification(caller, config.hookLenientDecisions);
    const rejection = await hook.decide({ userId: String(user['id']), isValid: event === 'right', ip: IP });
    if (rejection === null) return 'continue';
    return rejection.endsSessions ? 'reject, and all sessions of the user end' : 'reject';
  },
  async mfa_verification_attempt({ caller, config, user, event }) {
    const hook = openMfaVerification(caller, config.hookLenientDecisions);
    const attempt = { userId: String(user['id']), factorId: randomUUID(), factorType: 'totp', ip: IP };
    const rejection = await hook.decide({ ...attempt, isValid: event === 'right' });
    return rejection === null ? 'continue' : 'reject, and all sessions of the user end';
  },
  async before_user_created({ caller, user }) {
    await openBeforeUserCreated(caller).assertAllowed(user, IP);
    return 'the account may be created';
  },
  async after_user_created({ caller, user }) {
    await openAfterUserCreated(caller).announce(user, IP, randomUUID());
    return 'it is not called again for this account';
  },
  send_email: rehearseMail,
  send_sms: rehearseText,
};

export const rehearseHook = (name: HookName, rehearsal: Rehearsal): Promise<string> => rehearsals[name](rehearsal);

function claimsOf(user: Readonly<Record<string, unknown>>, config: Config, method: string): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  const { id, aud, email, phone, app_metadata, user_metadata, role } = user;
  return {
    iss: config.jwtIssuer,
    sub: id,
    aud,
    exp: now + config.jwtExpiresInSeconds,
    iat: now,
    email: email ?? '',
    phone: phone ?? '',
    app_metadata,
    user_metadata,
    role,
    aal: 'aal1',
    amr: [{ method: method === 'token_refresh' ? 'password' : method, timestamp: now }],
    session_id: randomUUID(),
    is_anonymous: method === 'anonymous',
  };
}
