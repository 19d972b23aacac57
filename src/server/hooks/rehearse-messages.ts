/** Examples of what send_email and send_sms deliver, for `latchkey check hook`. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/settings.js';
import type { NoticeFacts } from '../mail/contract.js';
import { linkTypeOf, type MailKind, type NoticeKind, noticeKinds } from '../message-kinds.js';
import { composeText } from '../sms/compose-text.js';
import type { Log } from '../telemetry/log.js';
import type { Delivery, HookText } from './contract.js';
import type { HookCaller } from './hook-caller.js';
import { openSendEmail } from './send-email.js';
import { openSendSms } from './send-sms.js';

export interface Rehearsal {
  readonly caller: HookCaller;
  readonly config: Config;
  /** The user object. */
  readonly user: Readonly<Record<string, unknown>>;
  readonly event: string;
  readonly log: Pick<Log, 'warn'>;
}

/** Of documentation (RFC 5737). */
export const IP = '192.0.2.1';
const PHONE = '15555550100';

/** The mail of each event that has a code. */
const mailOf = {
  signup: 'confirmation',
  recovery: 'recovery',
  invite: 'invite',
  magiclink: 'magic_link',
  email_change: 'email_change',
  reauthentication: 'reauthentication',
} as const satisfies Record<string, MailKind>;

export const mailEvents: readonly string[] = [...Object.keys(mailOf), ...noticeKinds];
/** `mfa`: the code of a phone factor. */
export const textEvents: readonly string[] = ['signup', 'mfa', ...noticeKinds];

const isNotice = (event: string): event is NoticeKind => noticeKinds.some((kind) => kind === event);

/** @throws ApiError of the hook */
export async function rehearseMail({ caller, config, user, event }: Rehearsal): Promise<string> {
  const notice = isNotice(event) ? describeChange(event) : undefined;
  const kind = isNotice(event) ? event : mailOf[event as keyof typeof mailOf];
  const email = String(user['email']);
  const linkType = linkTypeOf(kind);
  const message = (to: string) => ({
    kind,
    to,
    email,
    newEmail: kind === 'email_change' ? 'new@example.com' : null,
    code: notice === undefined ? '0'.repeat(config.mailerOtpLength) : '',
    linkToken: linkType === null ? null : randomBytes(28).toString('hex'),
    linkType,
    redirectTo: config.siteUrl,
    ip: IP,
    data: {},
    ...(notice !== undefined && { notice }),
  });
  const hook = openSendEmail(caller, config);
  if (kind !== 'email_change') return judge(await hook.deliver([message(email)], user));
  const first = message('new@example.com');
  const isBoth = config.mailerSecureEmailChangeEnabled;
  return judge(await hook.deliver(isBoth ? [first, message(email)] : [first], user));
}

/** @throws ApiError of the hook */
export async function rehearseText(rehearsal: Rehearsal): Promise<string> {
  const { caller, user } = rehearsal;
  return judge(await openSendSms(caller).deliver(exampleText(rehearsal), user, IP));
}

function exampleText({ config, user, event, log }: Rehearsal): HookText {
  const phone = String(user['phone'] || PHONE);
  if (event === 'mfa') return { phone, otp: '0'.repeat(config.mfaPhoneOtpLength), type: 'mfa' };
  if (!isNotice(event)) return { phone, otp: '0'.repeat(config.smsOtpLength) };
  const notice = describeChange(event);
  const message = composeText(config, log, { kind: event, to: phone, code: '', ip: IP, data: {}, notice });
  return { phone, otp: '', type: event, message };
}

/** An example of a change that its user made. */
const describeChange = (kind: NoticeKind): NoticeFacts => ({
  oldEmail: kind === 'email_changed_notification' ? 'old@example.com' : null,
  phone: kind === 'phone_changed_notification' ? PHONE : null,
  oldPhone: kind === 'phone_changed_notification' ? '15555550199' : null,
  provider: kind.startsWith('identity_') ? 'github' : null,
  factorType: kind.startsWith('mfa_factor_') ? 'totp' : null,
  remainingCodes: kind === 'mfa_recovery_code_used_notification' ? 9 : null,
  removedPasskeys: null,
  ip: IP,
  device: 'Firefox on Windows',
  time: `${new Date().toISOString().slice(0, 19)}Z`,
  changedByAdmin: false,
});

function judge(delivery: Delivery): string {
  if (!delivery.isDone) throw delivery.error;
  return 'the message counts as sent';
}
