/** Where in the dialogue with a mail server something went wrong. */
export type MailStage = 'open' | 'dns' | 'connect' | 'tls' | 'greeting' | 'auth' | 'sender' | 'recipient' | 'data';

export interface MailFailureFacts {
  readonly stage: MailStage;
  /** The server's reply, on one line; null when it gave none. */
  readonly reply?: string | null;
  /** Trying again cannot help. */
  readonly isFinal?: boolean;
  /** The server may have accepted the mail: it must not be sent again. */
  readonly isOutcomeUnknown?: boolean;
  readonly cause?: unknown;
}

/** A mail that did not arrive, or may not have. Its message and reply may be logged: they hold no code and no link. */
export class MailError extends Error {
  readonly stage: MailStage;
  readonly reply: string | null;
  readonly isFinal: boolean;
  readonly isOutcomeUnknown: boolean;

  constructor(message: string, facts: MailFailureFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'MailError';
    this.stage = facts.stage;
    this.reply = facts.reply ?? null;
    this.isFinal = facts.isFinal ?? false;
    this.isOutcomeUnknown = facts.isOutcomeUnknown ?? false;
  }
}

const MAX_REPLY_LENGTH = 500;

/**
 * A server's reply as it may be logged. Control characters are escaped, so that it stays on its line; links and long
 * numbers go, since some servers quote what they refuse (SEC-71).
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
