/** Examples of what send_email and send_sms deliver, for `latchkey check hook`. */
import type { Config } from '../config/settings.js';
import { type MailKind, type NoticeKind, noticeKinds } from '../message-kinds.js';
import {
  exampleMail,
  exampleNoticeText,
  EXAMPLE_IP as IP,
  NEW_EMAIL,
  EXAMPLE_PHONE as PHONE,
} from '../outbox/examples.js';
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

/** The mail of each event that has a code. */
const mailOf = {
  signup: 'confirmation',
  recovery: 'recovery',
  invite: 'invite',
  organization_invite: 'organization_invite',
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
  const kind = isNotice(event) ? event : mailOf[event as keyof typeof mailOf];
  const email = String(user['email']);
  const message = (to: string) => exampleMail(config, kind, { to, email, data: {} });
  const hook = openSendEmail(caller, config);
  if (kind !== 'email_change') return judge(await hook.deliver([message(email)], user));
  const first = message(NEW_EMAIL);
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
  const message = composeText(config, log, exampleNoticeText(event, { to: phone, data: {} }));
  return { phone, otp: '', type: event, message };
}

function judge(delivery: Delivery): string {
  if (!delivery.isDone) throw delivery.error;
  return 'the message counts as sent';
}
