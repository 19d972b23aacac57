import { DeliveryError } from '../outbox/delivery-error.js';

/** The step of an SMTP session. */
export type MailStage = 'open' | 'dns' | 'connect' | 'tls' | 'greeting' | 'auth' | 'sender' | 'recipient' | 'data';

interface MailErrorOptions {
  readonly stage: MailStage;
  /** The server's reply on one line; null without one. */
  readonly reply?: string | null;
  /** Another attempt would fail as well. */
  readonly isFinal?: boolean;
  /** The server may have accepted the mail: it must not be sent again. */
  readonly isOutcomeUnknown?: boolean;
  readonly cause?: unknown;
}

/** A mail that was not delivered, or may not have been. Message and reply are safe to log: no code, no link. */
export class MailError extends DeliveryError {
  readonly stage: MailStage;
  readonly reply: string | null;

  constructor(message: string, { stage, reply = null, cause, ...outcome }: MailErrorOptions) {
    const facts = { stage, ...(reply !== null && { reply }) };
    super(message, { ...outcome, facts, ...(cause !== undefined && { cause }) });
    this.name = 'MailError';
    this.stage = stage;
    this.reply = reply;
  }
}

const MAX_REPLY_LENGTH = 500;

/**
 * Makes a server's reply safe to log: on one line, without control characters, and without links and long numbers, since some
 * servers quote the mail that they reject (SEC-71).
 */
export function describeReply(reply: string): string {
  return reply
    .slice(0, MAX_REPLY_LENGTH)
    .trim()
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replace(/(?<![\d.])\d{6,}(?![\d.])/g, '[number]')
    .replace(/[0-9a-f]{32,}/gi, '[token]')
    .replace(/\r?\n/g, ' / ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
