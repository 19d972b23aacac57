import { storePendingSignUp } from '../../db/one-time-tokens.js';
import { limitsOf, type MailKind } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import type { PreparedMails } from './one-time.js';
import { mailIntervalSeconds } from './send-rules.js';

/** A message that is not sent. Null: a text. */
interface Unsent {
  readonly mail: MailKind | null;
  readonly recipient: string;
}

/**
 * Writes as much as a request that sends a message, for one that sends nothing (SEC-48). Its send interval shares the fate of
 * messages that are sent (SEC-92).
 */
export async function writeDecoy(app: App, audience: string, prepared: PreparedMails, unsent: Unsent): Promise<void> {
  await storePendingSignUp(
    app.db,
    'decoy',
    { ...prepared.tokens[0]!, kind: 'decoy' },
    { audience, data: {} },
    [],
    null,
  );
  const { mail, recipient } = unsent;
  if (mail === null) app.limits.shareFate('phone', ['sms'], recipient, app.config.smsMaxFrequencySeconds);
  else app.limits.shareFate('email', limitsOf(mail), recipient, mailIntervalSeconds(app, mail));
}
