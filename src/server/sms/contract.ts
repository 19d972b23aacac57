/** What rules hand to the SMS room, and what a gateway is. */

/** The message id of a text to a test number, which nobody is sent. */
export const TEST_MESSAGE_ID = 'test-otp';

export type SmsChannel = 'sms' | 'whatsapp';

export interface SmsMessage {
  /** Digits, without plus. */
  readonly to: string;
  readonly channel: SmsChannel;
  /** The code alone; gateways with templates of their own want it apart from the text. */
  readonly code: string;
  /** The whole text, from SMS_TEMPLATE. */
  readonly text: string;
}

/** A gateway: one file each, speaking its real format. */
export interface SmsGateway {
  readonly name: string;
  readonly channels: readonly SmsChannel[];
  /**
   * @returns the gateway's id of the message
   * @throws SmsSendError
   */
  send(message: SmsMessage): Promise<string>;
}

/** Sends texts while the caller waits. */
export interface SmsSender {
  /** The fixed code of a test number that is still in force (SMS_TEST_OTP), else null. */
  testCode(phone: string): string | null;
  supports(channel: string): boolean;
  /**
   * Whether a text could be tried now. Asked before anything is looked up, so that the refusal is the same for every number
   * (SEC-92); a test number needs no gateway.
   * @throws Refusal smsProviderMissing; smsSendFailed while the breaker is open; overloaded
   */
  assertReady(purpose: string, to: string): void;
  /**
   * Sends one code within 6 s, or refuses at once while the breaker is open (REL-12). Never tries twice. A test number
   * gets nothing, and the id `test-otp`.
   * @param purpose confirmation, phone_change or reauthentication; named in the error
   * @throws Refusal smsSendFailed (or smsProviderMissing); its `cause` is an SmsSendError
   */
  send(purpose: string, to: string, channel: SmsChannel, code: string): Promise<{ messageId: string }>;
}

/** A text whose request has been answered already. */
export interface LaterText {
  /** From {@link SmsRoom.newMessageId}: what the answer says, and what the log puts beside the gateway's own. */
  readonly messageId: string;
  readonly purpose: string;
  readonly to: string;
  readonly channel: SmsChannel;
  readonly code: string;
  /** Called when the text certainly reached nobody. */
  readonly takeBack: () => Promise<void>;
}

/** The part that sends texts, as rules see it. */
export interface SmsRoom extends SmsSender {
  /** An id of ours for a message to that number, whether there will be one or not; `test-otp` for a test number. */
  newMessageId(to: string): string;
  /** Sends a text after the answer of the request that is being served, once (REL-12). What becomes of it is logged. */
  sendLater(text: LaterText): void;
  /** Waits so long for the texts that are under way. */
  close(seconds: number): Promise<void>;
}

export interface SmsSendErrorOptions extends ErrorOptions {
  /** The gateway works and said no to this one number or text, so the breaker stays as it is. */
  readonly isAboutMessage?: boolean;
}

export class SmsSendError extends Error {
  readonly isAboutMessage: boolean;

  /**
   * @param isOutcomeUnknown the gateway may have sent it: the code stays good, and nothing is sent again by itself
   */
  constructor(
    message: string,
    readonly isOutcomeUnknown: boolean,
    { isAboutMessage = false, ...options }: SmsSendErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'SmsSendError';
    this.isAboutMessage = isAboutMessage;
  }
}
