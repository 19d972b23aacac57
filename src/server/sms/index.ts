import type { Config } from '../config/settings.js';
import { type ApiError, apiError } from '../errors.js';
import type { SendSms } from '../hooks/contract.js';
import { BreakerOpenError, makeBreaker, OPEN_SECONDS } from '../outbound/breaker.js';
import type { Log } from '../telemetry/log.js';
import { type SmsClient, type SmsGateway, SmsSendError, TEST_MESSAGE_ID } from './contract.js';
import { logGateway, type SmsSink } from './log-gateway.js';
import { messagebird } from './messagebird.js';
import { redact } from './redact.js';
import { renderText } from './text.js';
import { textlocal } from './textlocal.js';
import { twilio } from './twilio.js';
import { vonage } from './vonage.js';

export interface SmsClientOptions {
  readonly config: Config;
  readonly log: Pick<Log, 'warn' | 'error' | 'info'>;
  /** Receives the messages of SMS_PROVIDER=log; without it that provider counts as missing. */
  readonly sink?: SmsSink;
  /** Delivers all texts in place of a gateway. */
  readonly hook?: SendSms | null;
  /** Monotonic milliseconds, for the circuit breaker. */
  readonly now?: () => number;
}

/**
 * Creates the client of the configured gateway; it connects with the first text. Each text is one call of at most 6 s. After
 * 5 failures in a row, texts fail at once for 30 s in this thread (REL-12).
 */
export function createSmsClient({
  config,
  log,
  sink,
  hook = null,
  now = () => performance.now(),
}: SmsClientOptions): SmsClient {
  const gateway = createGateway(config, sink);
  if (gateway === null && config.smsProvider === 'log') {
    log.warn({ component: 'sms' }, 'AUTH_SMS_PROVIDER=log shows messages under `latchkey dev` only: nothing is sent.');
  }
  const isQueued = hook !== null && config.hookSendSmsBackground;
  const testUntil = config.smsTestOtpValidUntil === null ? Infinity : Date.parse(config.smsTestOtpValidUntil);
  const breaker = makeBreaker({
    now,
    isFailure: (error) => !(error instanceof SmsSendError && error.isAboutMessage),
    onChange: (isOpen) => {
      const fields = { component: 'sms', gateway: gateway?.name };
      if (isOpen) log.error(fields, `The SMS gateway keeps failing: no message is tried for ${OPEN_SECONDS} s.`);
      else log.info(fields, 'The SMS gateway works again.');
    },
  });

  function testCode(phone: string): string | null {
    return Object.hasOwn(config.smsTestOtp, phone) && Date.now() < testUntil ? config.smsTestOtp[phone]! : null;
  }

  /** Describes a failure without the code and the keys of the gateway. */
  function toSendError(error: unknown, code: string): SmsSendError {
    const isBreaker = error instanceof BreakerOpenError;
    const text = error instanceof SmsSendError || isBreaker ? error.message : 'unexpected failure';
    const isOutcomeUnknown = error instanceof SmsSendError ? error.isOutcomeUnknown : !isBreaker;
    return new SmsSendError(redact(text, config, code), isOutcomeUnknown, {
      isAboutMessage: error instanceof SmsSendError && error.isAboutMessage,
      cause: error instanceof SmsSendError ? error.cause : error,
    });
  }

  /** Logs a failure, and returns it as an API error. */
  function toApiError(purpose: string, error: unknown, code: string): ApiError {
    const cause = toSendError(error, code);
    const { message: reason, isOutcomeUnknown } = cause;
    const values = { kind: purpose, reason };
    if (error instanceof BreakerOpenError) {
      return apiError('smsSendFailed', values, { cause, retryAfterSeconds: error.waitSeconds });
    }
    const fields = { component: 'sms', gateway: gateway?.name, purpose, outcome_unknown: isOutcomeUnknown, reason };
    log.warn(fields, 'An SMS message could not be sent.');
    return apiError('smsSendFailed', values, { cause });
  }

  function requireGateway(): SmsGateway {
    if (gateway !== null) return gateway;
    const cause = new SmsSendError(NO_GATEWAY, false);
    throw apiError('smsProviderMissing', {}, { cause });
  }

  return {
    testCode,
    ...(hook !== null && !isQueued && { sendNow: senderOf(hook, config.hooks.send_sms.failOpen === true) }),
    isQueued,
    supports: (channel) => channel === 'sms' || gateway?.channels.some((known) => known === channel) === true,
    assertReady(purpose, to) {
      if (testCode(to) !== null || hook !== null) return;
      requireGateway();
      const wait = breaker.waitSeconds();
      if (wait > 0) throw toApiError(purpose, new BreakerOpenError(wait), '');
    },
    async send(purpose, to, channel, code) {
      if (testCode(to) !== null) return { messageId: TEST_MESSAGE_ID };
      // It was sent before its code was stored, or waits in the outbox, and a hook gives no id.
      if (hook !== null) return { messageId: '' };
      const usedGateway = requireGateway();
      const message = { to, channel, code, text: renderText(config.smsTemplate, code) };
      try {
        return { messageId: await breaker.run(() => usedGateway.send(message)) };
      } catch (error) {
        throw toApiError(purpose, error, code);
      }
    },
    async sendFactorCode(message, user, ip) {
      if (hook !== null) {
        const delivery = await hook.deliver({ phone: message.to, otp: message.code, type: 'mfa' }, user, ip);
        if (delivery.isDone || (!delivery.isRefused && config.hooks.send_sms.failOpen === true)) return;
        throw apiError('factorTextHookFailed', {}, { cause: delivery.error });
      }
      const usedGateway = requireGateway();
      const text = renderText(config.mfaPhoneTemplate, message.code);
      try {
        await breaker.run(() => usedGateway.send({ ...message, text }));
      } catch (error) {
        throw apiError('factorTextFailed', {}, { cause: toApiError('mfa', error, message.code).cause });
      }
    },
    async deliver(_purpose, message) {
      if (gateway === null) throw new SmsSendError(NO_GATEWAY, false);
      try {
        return { messageId: await breaker.run(() => gateway.send(message)) };
      } catch (error) {
        throw toSendError(error, message.code);
      }
    },
  };
}

const senderOf =
  (hook: SendSms, failOpen: boolean): NonNullable<SmsClient['sendNow']> =>
  async (phone, code, user, ip) => {
    const delivery = await hook.deliver({ phone, otp: code }, user, ip);
    if (!delivery.isDone && (delivery.isRefused || !failOpen)) throw delivery.error;
    return delivery.isDone;
  };

const NO_GATEWAY = 'AUTH_SMS_PROVIDER is unset, or lacks what it needs to send';

const gateways = { twilio, messagebird, textlocal, vonage };

/** @returns null without a provider, or without one of its settings, which config/checks.ts reports at start */
function createGateway(config: Config, sink: SmsSink | undefined): SmsGateway | null {
  const name = config.smsProvider;
  if (name === null) return null;
  if (name === 'log') return sink === undefined ? null : logGateway(sink);
  return gateways[name](config);
}
