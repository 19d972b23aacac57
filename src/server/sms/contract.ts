import type { MailInput } from '../../db/outgoing.js';
import type { Metadata } from '../../db/user-rows.js';
import type { NoticeFacts } from '../mail/contract.js';
import type { NoticeKind, TextKind } from '../message-kinds.js';
import type { OutboxStats } from '../outbox/contract.js';

/** The message id for a test number, which receives no text. */
export const TEST_MESSAGE_ID = 'test-otp';

export type SmsChannel = 'sms' | 'whatsapp';

export interface SmsMessage {
  /** Digits, without plus. */
  readonly to: string;
  readonly channel: SmsChannel;
  /** The code alone, for gateways with their own templates. */
  readonly code: string;
  /** The whole text, from SMS_TEMPLATE or MFA_PHONE_TEMPLATE. */
  readonly text: string;
}

export interface SmsGateway {
  readonly name: string;
  readonly channels: readonly SmsChannel[];
  /**
   * @returns the gateway's id of the message
   * @throws SmsSendError
   */
  send(message: SmsMessage): Promise<string>;
}

/** Sends texts during the call. */
export interface SmsClient {
  /** The fixed code of a test number while SMS_TEST_OTP is valid, else null. */
  testCode(phone: string): string | null;
  supports(channel: string): boolean;
  /**
   * Sends a code before it is stored; absent unless the hook send_sms does so. Then send() sends nothing.
   * @param user the user object
   * @returns false: it failed, and the text is to be stored
   * @throws ApiError of the hook
   */
  readonly sendNow?:
    | ((phone: string, code: string, user: Record<string, unknown>, ip: string | null) => Promise<boolean>)
    | undefined;
  /** Codes wait in the outbox for the hook send_sms (AUTH_HOOK_SEND_SMS_BACKGROUND); send() sends nothing. */
  readonly isQueued: boolean;
  /**
   * Checks that a text could be sent now. Called before any look-up, so that every number gets the same error (SEC-92); a
   * test number needs no gateway.
   * @throws ApiError smsProviderMissing; smsSendFailed while the breaker is open; overloaded
   */
  assertReady(purpose: string, to: string): void;
  /**
   * Sends one code within 6 s, once, or fails at once while the circuit breaker is open (REL-12). For a test number it sends
   * nothing and returns the id `test-otp`.
   * @param purpose confirmation, phone_change or reauthentication; named in the error
   * @throws ApiError smsSendFailed (or smsProviderMissing); its `cause` is an SmsSendError
   */
  send(purpose: string, to: string, channel: SmsChannel, code: string): Promise<{ messageId: string }>;
  /**
   * Sends the code of a phone factor, in the text of MFA_PHONE_TEMPLATE, by the gateway or the hook send_sms. Test numbers
   * have no fixed codes here.
   * @param user the user object
   * @throws ApiError smsProviderMissing, factorTextFailed, factorTextHookFailed; its `cause` is an SmsSendError
   */
  sendFactorCode(message: FactorCode, user: Record<string, unknown>, ip: string | null): Promise<void>;
  /**
   * Hands one text of the outbox to the gateway, as send() does.
   * @throws SmsSendError
   */
  deliver(purpose: string, message: SmsMessage): Promise<{ messageId: string }>;
}

/** A text that waits in the outbox, before it is composed. */
export interface TextMessage {
  readonly kind: TextKind | NoticeKind;
  readonly to: string;
  /** Empty for a notice. */
  readonly code: string;
  /** Of the request; for the hook. */
  readonly ip: string | null;
  /** user_metadata. */
  readonly data: Metadata;
  /** Of a notice: the change. */
  readonly notice?: NoticeFacts;
}

/** Stores texts, and sends what is stored. */
export interface TextOutbox {
  /** Makes the row to store; none for a test number, and while no text can be sent. */
  seal(message: TextMessage): readonly MailInput[];
  /** @returns the recipient of a stored row; null when no accepted key opens it, and while no text can be sent */
  recipientOf(id: string, sealed: string): string | null;
  /** Starts to send committed rows in the background. */
  nudge(): void;
  stats(): OutboxStats;
  /** Sends what is due, then stops. */
  close(timeoutSeconds: number): Promise<void>;
  /** Finishes the texts being sent; an outbox with other settings sends the rest. */
  retire(): Promise<void>;
}

export type FactorCode = Pick<SmsMessage, 'to' | 'channel' | 'code'>;

/** A text that is sent after the response. */
export interface DeferredText {
  /** From {@link SmsSender.newMessageId}: the id in the response; the log has it beside the gateway's id. */
  readonly messageId: string;
  readonly purpose: string;
  readonly to: string;
  readonly channel: SmsChannel;
  readonly code: string;
  /** Withdraws the code of a text that was certainly not delivered. */
  readonly takeBack: () => Promise<void>;
}

export interface SmsSender extends SmsClient {
  /** A new id for a text to this number, whether one is sent or not; `test-otp` for a test number. */
  newMessageId(to: string): string;
  /** Sends a text after the response of the current request, once (REL-12), and logs the outcome. */
  sendLater(text: DeferredText): void;
  /** Waits up to so many seconds for the texts in flight. */
  close(seconds: number): Promise<void>;
}

/** What the domain sends texts with. */
export interface Texts extends SmsSender, Pick<TextOutbox, 'seal' | 'recipientOf' | 'stats'> {}

export interface SmsSendErrorOptions extends ErrorOptions {
  /** The gateway works but rejected this number or text; the circuit breaker ignores it. */
  readonly isAboutMessage?: boolean;
}

export class SmsSendError extends Error {
  readonly isAboutMessage: boolean;
  readonly isOutcomeUnknown: boolean;

  /**
   * @param isOutcomeUnknown the gateway may have sent it: the code stays valid, and there is no retry
   */
  constructor(
    message: string,
    isOutcomeUnknown: boolean,
    { isAboutMessage = false, ...options }: SmsSendErrorOptions = {},
  ) {
    super(message, options);
    this.isOutcomeUnknown = isOutcomeUnknown;
    this.name = 'SmsSendError';
    this.isAboutMessage = isAboutMessage;
  }
}
