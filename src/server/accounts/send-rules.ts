import type { Channel } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import type { Limits, RecipientLimit } from '../guards/contract.js';
import type { MailKind } from '../mail/contract.js';
import type { SmsChannel, SmsSendError } from '../sms/contract.js';

type Sending = Pick<App, 'config' | 'limits'>;

/** Mails of these kinds wait 900 s by default, the others 60 s; SMTP_MAX_FREQUENCY rules all of them (decisions.md 12). */
const defaultIntervalSeconds: Record<Exclude<RecipientLimit, 'sms'>, number> = {
  confirmation: 900,
  sign_in_mail: 60,
  recovery: 60,
  email_change: 60,
  reauthentication: 60,
};

/**
 * May a mail go to this address now? Asked before anything is looked up, and alike for every address, so that the
 * answer tells nothing about accounts (SEC-48, SEC-70).
 * @param recipient the address, or another name of who is counted
 * @throws Refusal emailNotAuthorized, tooSoonForEmail, overEmailQuota
 */
export async function assertMayMail(
  app: Sending & Pick<App, 'mail'>,
  limit: Exclude<RecipientLimit, 'sms'>,
  recipient: string,
): Promise<void> {
  const interval = app.config.smtpMaxFrequencySeconds ?? defaultIntervalSeconds[limit];
  await app.limits.takeForRecipient(limit, recipient, interval);
  try {
    await takeMailQuota(app);
  } catch (error) {
    await app.limits.refundRecipient(limit, recipient);
    throw error;
  }
}

/** One of RATE_LIMIT_EMAIL_SENT; none where no mail leaves (decisions.md 28). @throws Refusal overEmailQuota */
export async function takeMailQuota(app: Pick<App, 'limits' | 'mail'>): Promise<void> {
  if (app.mail.isOn) await app.limits.takeQuota('email');
}

/** Mails that take an interval → the limits they may have taken it from. */
const limitsOfMail: Readonly<Partial<Record<MailKind, readonly RecipientLimit[]>>> = {
  confirmation: ['confirmation', 'sign_in_mail'],
  magic_link: ['sign_in_mail'],
  recovery: ['recovery'],
  email_change: ['email_change'],
  reauthentication: ['reauthentication'],
};

/** A mail that did not arrive burns no interval: whoever waits for it may ask again at once (decisions.md 12). */
export async function refundFailedMail(
  limits: Limits,
  { kind, email }: { kind: MailKind; email: string },
): Promise<void> {
  for (const limit of limitsOfMail[kind] ?? []) await limits.refundRecipient(limit, email);
}

/** EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES: with `+label` cut, or every address where the list is empty (delivery.md 5.9). */
export function assertAuthorizedAddress({ config }: Pick<App, 'config'>, email: string): void {
  const allowed = config.externalEmailAuthorizedAddresses;
  if (allowed.length === 0) return;
  const unlabelled = email.replace(/\+[^@]*@/, '@');
  const isAllowed = allowed.some((entry) => [email, unlabelled].includes(entry.toLowerCase()));
  if (!isAllowed) throw refuse('emailNotAuthorized', { email });
}

/**
 * May a text go to this number now? Asked before anything is looked up, and alike for every number, as with mails. Test
 * numbers cost no quota, since nothing is sent to them.
 * @param purpose of the text: confirmation, phone_change or reauthentication
 * @throws Refusal smsProviderMissing, smsSendFailed (the breaker is open), overloaded, tooSoonForSms, overSmsQuota
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
  readonly purpose: string;
  readonly phone: string;
  readonly channel: SmsChannel;
  readonly code: string;
}

/**
 * Sends a code whose hash is stored, where every request that is accepted sends one. A code that certainly did not
 * arrive is taken back and burns no interval; one whose fate is unknown stays good, and nothing is sent twice (REL-12).
 * @param takeBack undoes what was stored for this code
 * @throws Refusal smsSendFailed, smsProviderMissing
 */
export async function textCode(
  app: Pick<App, 'sms' | 'limits'>,
  message: Text,
  takeBack: () => Promise<void>,
): Promise<string> {
  try {
    const { purpose, phone, channel, code } = message;
    return (await app.sms.send(purpose, phone, channel, code)).messageId;
  } catch (error) {
    const cause = (error as { cause?: Partial<SmsSendError> }).cause;
    if (cause?.isOutcomeUnknown !== true) await takeTextBack(app, message, takeBack);
    throw error;
  }
}

/**
 * Sends a code whose hash is stored, after the answer, because only some who ask get a text: neither the gateway's time
 * nor its errors may be in the answer then (SEC-92). Otherwise as {@link textCode}.
 * @param messageId what the answer says
 */
export function textCodeLater(
  app: Pick<App, 'sms' | 'limits'>,
  message: Text & { readonly messageId: string },
  takeBack: () => Promise<void>,
): void {
  const { phone, ...text } = message;
  app.sms.sendLater({ ...text, to: phone, takeBack: () => takeTextBack(app, message, takeBack) });
}

async function takeTextBack(
  { limits }: Pick<App, 'limits'>,
  { phone }: Text,
  takeBack: () => Promise<void>,
): Promise<void> {
  await Promise.all([takeBack(), limits.refundRecipient('sms', phone)]);
}

/** @throws Refusal invalidChannel */
export function readSmsChannel(app: Pick<App, 'sms'>, channel: string): SmsChannel {
  if (channel === '' || channel === 'sms') return 'sms';
  if (channel === 'whatsapp' && app.sms.supports(channel)) return channel;
  throw refuse('invalidChannel');
}

/** How long a code or link of a channel is good, in seconds. */
export const validitySeconds = ({ config }: Pick<App, 'config'>, channel: Channel): number =>
  channel === 'email' ? config.mailerOtpExpSeconds : config.smsOtpExpSeconds;
