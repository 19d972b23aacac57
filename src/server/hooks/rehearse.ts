/** Calls a hook with an input as a request would, for `latchkey check hook`. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Config, HookName } from '../config/settings.js';
import { linkTypeOf, type MailKind } from '../message-kinds.js';
import type { Log } from '../telemetry/log.js';
import { openAfterUserCreated } from './after-user-created.js';
import { openBeforeUserCreated } from './before-user-created.js';
import type { Delivery } from './contract.js';
import { openCustomAccessToken } from './custom-access-token.js';
import type { HookCaller } from './hook-caller.js';
import { openMfaVerification } from './mfa-verification.js';
import { openPasswordVerification } from './password-verification.js';
import { openSendEmail } from './send-email.js';
import { openSendSms } from './send-sms.js';

/** The mail of each event of send_email. */
const mailOf = {
  signup: 'confirmation',
  recovery: 'recovery',
  invite: 'invite',
  magiclink: 'magic_link',
  email_change: 'email_change',
  reauthentication: 'reauthentication',
} as const satisfies Record<string, MailKind>;

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
  ],
  password_verification_attempt: ['right', 'wrong'],
  mfa_verification_attempt: ['right', 'wrong'],
  before_user_created: ['signup'],
  after_user_created: ['signup'],
  send_email: Object.keys(mailOf),
  send_sms: ['signup'],
};

export interface Rehearsal {
  readonly caller: HookCaller;
  readonly config: Config;
  /** The user object. */
  readonly user: Readonly<Record<string, unknown>>;
  readonly event: string;
  readonly log: Pick<Log, 'warn'>;
}

const IP = '192.0.2.1';

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
  async send_email({ caller, config, user, event }) {
    const kind = mailOf[event as keyof typeof mailOf];
    const email = String(user['email']);
    const message = (to: string) => ({
      kind,
      to,
      email,
      newEmail: kind === 'email_change' ? 'new@example.com' : null,
      code: '0'.repeat(config.mailerOtpLength),
      linkToken: kind === 'reauthentication' ? null : randomBytes(28).toString('hex'),
      linkType: linkTypeOf(kind),
      redirectTo: config.siteUrl,
      ip: IP,
      data: {},
    });
    const hook = openSendEmail(caller, config);
    if (kind !== 'email_change') return judge(await hook.deliver([message(email)], user));
    const first = message('new@example.com');
    const isBoth = config.mailerSecureEmailChangeEnabled;
    return judge(await hook.deliver(isBoth ? [first, message(email)] : [first], user));
  },
  async send_sms({ caller, config, user }) {
    const phone = String(user['phone'] || '15555550100');
    return judge(await openSendSms(caller).deliver({ phone, otp: '0'.repeat(config.smsOtpLength) }, user, IP));
  },
};

export const rehearseHook = (name: HookName, rehearsal: Rehearsal): Promise<string> => rehearsals[name](rehearsal);

function judge(delivery: Delivery): string {
  if (!delivery.isDone) throw delivery.error;
  return 'the message counts as sent';
}

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
