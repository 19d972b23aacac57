import type { MailInput } from '../../db/outgoing.js';
import type { Channel } from '../../db/user-rows.js';
import { spellEmail } from '../accounts/addresses.js';
import { apiError } from '../errors.js';
import type { Limits } from '../guards/contract.js';
import { limitsOf, type MailKind, mailRow } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import type { SmsChannel, SmsSendError } from '../sms/contract.js';

type Sending = Pick<App, 'config' | 'limits'>;

/**
 * Takes the interval and quota of a mail, before any look-up and equally for all addresses, so that the answer reveals
 * nothing about accounts (SEC-48, SEC-70).
 * @param recipient the address that is counted
 * @throws ApiError tooSoonForEmail, overEmailQuota
 */
export async function assertMayMail(
  app: Sending & Pick<App, 'mail'>,
  kind: MailKind,
  recipient: string,
): Promise<void> {
  const [limit] = limitsOf(kind);
  if (limit) await app.limits.takeForRecipient(limit, recipient, mailIntervalSeconds(app, kind));
  try {
    await takeMailQuota(app);
  } catch (error) {
    if (limit) await app.limits.refundRecipient(limit, recipient);
    throw error;
  }
}

export const mailIntervalSeconds = ({ config }: Pick<App, 'config'>, kind: MailKind): number =>
  config.smtpMaxFrequencySeconds ?? mailRow(kind).intervalSeconds;

/** Counts a mail for RATE_LIMIT_EMAIL_SENT, unless mail is off. @throws ApiError overEmailQuota */
export async function takeMailQuota(app: Pick<App, 'limits' | 'mail'>): Promise<void> {
  if (app.mail.isOn) await app.limits.takeQuota('email');
}

/** Refunds the interval of a failed mail, so that another can be requested at once. */
export async function refundFailedMail(
  limits: Limits,
  { kind, email }: { kind: MailKind; email: string },
): Promise<void> {
  for (const limit of limitsOf(kind)) await limits.refundRecipient(limit, email);
}

/** Addresses match with or without their `+label`; an empty EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES allows all. */
export function isAuthorizedAddress({ config }: Pick<App, 'config'>, email: string): boolean {
  const allowed = config.externalEmailAuthorizedAddresses;
  if (allowed.length === 0) return true;
  const unlabelled = email.replace(/\+[^@]*@/, '@');
  return allowed.some((entry) => [email, unlabelled].includes(spellEmail(entry)));
}

/**
 * Before each mail to an address of a request; looks at the address only, not at accounts.
 * @throws ApiError emailNotAuthorized, emailAddressInvalid
 */
export async function assertMailable(app: Pick<App, 'config' | 'mail'>, email: string): Promise<void> {
  if (!isAuthorizedAddress(app, email)) throw apiError('emailNotAuthorized', { email });
  if (!(await app.mail.accepts(email))) throw apiError('emailAddressInvalid', { email });
}

/**
 * Takes the interval and quota of an SMS, as {@link assertMayMail}. Test numbers take no quota, since nothing is sent.
 * @param purpose confirmation, phone_change or reauthentication
 * @throws ApiError smsProviderMissing, smsSendFailed (the breaker is open), overloaded, tooSoonForSms, overSmsQuota
 */
export async function assertMayText(app: Sending & Pick<App, 'sms'>, phone: string, purpose: string): Promise<void> {
  app.sms.assertReady(purpose, phone);
  await app.limits.takeForRecipient('sms', phone, app.config.smsMaxFrequencySeconds);
  if (app.sms.testCode(phone) !== null) return;
  try {
    await app.limits.takeQuota('phone');
  } catch (error) {
    await app.limits.refundRecipient('sms', phone);
    throw error;
  }
}

interface Text {
  /** Stored with the code: the outbox sends it. */
  readonly queued: readonly MailInput[];
  readonly purpose: string;
  readonly phone: string;
  readonly channel: SmsChannel;
  readonly code: string;
}

/**
 * Sends an SMS before the answer, where all accepted requests send one. A code that was certainly not delivered is
 * deleted and its interval refunded; with an unknown outcome it stays valid, and nothing is sent twice (REL-12).
 * @param takeBack deletes the stored code
 * @returns the message id
 * @throws ApiError smsSendFailed, smsProviderMissing
 */
export async function textCode(
  app: Pick<App, 'sms' | 'limits' | 'mail'>,
  message: Text,
  takeBack: () => Promise<void>,
): Promise<string> {
  const { purpose, phone, channel, code, queued } = message;
  if (queued[0] !== undefined) {
    app.mail.nudge();
    return queued[0].id;
  }
  try {
    return (await app.sms.send(purpose, phone, channel, code)).messageId;
  } catch (error) {
    const cause = (error as { cause?: Partial<SmsSendError> }).cause;
    if (cause?.isOutcomeUnknown !== true) await takeTextBack(app, message, takeBack);
    throw error;
  }
}

/**
 * Sends an SMS after the answer, where only some requests send one: its duration and errors must not show (SEC-92).
 * Otherwise as {@link textCode}.
 * @param messageId in the answer
 */
export function textCodeLater(
  app: Pick<App, 'sms' | 'limits' | 'mail'>,
  message: Text & { readonly messageId: string },
  takeBack: () => Promise<void>,
): void {
  const { phone, queued, ...text } = message;
  if (queued.length > 0) app.mail.nudge();
  else app.sms.sendLater({ ...text, to: phone, takeBack: () => takeTextBack(app, message, takeBack) });
}

async function takeTextBack(
  { limits }: Pick<App, 'limits'>,
  { phone }: Text,
  takeBack: () => Promise<void>,
): Promise<void> {
  await Promise.all([takeBack(), limits.refundRecipient('sms', phone)]);
}

/** @throws ApiError invalidChannel */
export function readSmsChannel(app: Pick<App, 'sms'>, channel: string): SmsChannel {
  if (channel === '' || channel === 'sms') return 'sms';
  if (channel === 'whatsapp' && app.sms.supports(channel)) return channel;
  throw apiError('invalidChannel');
}

/** Validity of the codes and links of a channel. */
export const validitySeconds = ({ config }: Pick<App, 'config'>, channel: Channel): number =>
  channel === 'email' ? config.mailerOtpExpSeconds : config.smsOtpExpSeconds;
