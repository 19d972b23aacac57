/** What rules hand to the SMS room, and what a gateway is. */

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

/** The SMS room as rules see it. */
export interface SmsRoom {
  /** The fixed code of a test number that is still in force (SMS_TEST_OTP), else null. */
  testCode(phone: string): string | null;
  supports(channel: string): boolean;
  /**
   * Sends one code within 6 s, or refuses at once while the breaker is open (REL-12). Never tries twice. A test number
   * gets nothing, and the id `test-otp`.
   * @param purpose confirmation, phone_change or reauthentication; named in the error
   * @throws Refusal smsSendFailed (or smsProviderMissing); its `cause` is an SmsSendError
   */
  send(purpose: string, to: string, channel: SmsChannel, code: string): Promise<{ messageId: string }>;
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
