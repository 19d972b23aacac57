/** The SMS room: codes go out by one of four gateways (decisions.md 26), or by none that is real under `latchkey dev`. */
import type { Config } from '../config/settings.js';
import { type Refusal, refuse } from '../errors.js';
import type { Log } from '../telemetry/log.js';
import { BreakerOpenError, makeBreaker, OPEN_SECONDS } from './breaker.js';
import { type SmsGateway, SmsSendError, type SmsSender, TEST_MESSAGE_ID } from './contract.js';
import { logGateway, type SmsSink } from './log.js';
import { messagebird } from './messagebird.js';
import { redact } from './redact.js';
import { renderText } from './text.js';
import { textlocal } from './textlocal.js';
import { twilio } from './twilio.js';
import { vonage } from './vonage.js';

export interface SmsRoomOptions {
  readonly config: Config;
  readonly log: Pick<Log, 'warn' | 'error' | 'info'>;
  /** Takes the messages of SMS_PROVIDER=log; without it that provider counts as missing. */
  readonly sink?: SmsSink;
  /** Milliseconds of a clock that never goes back, for the breaker. */
  readonly now?: () => number;
}

/**
 * Opens the room; connects to nothing yet.
 * Every send is one call of at most 6 s, never repeated; after 5 failures in a row sends are refused at once for 30 s,
 * in this thread (REL-12).
 */
export function openSmsRoom({ config, log, sink, now = () => performance.now() }: SmsRoomOptions): SmsSender {
  const gateway = openGateway(config, sink);
  if (gateway === null && config.smsProvider === 'log') {
    log.warn({ component: 'sms' }, 'AUTH_SMS_PROVIDER=log shows messages under `latchkey dev` only: nothing is sent.');
  }
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

  /** The error as it may be shown: the gateway's words without the code and our keys in them. */
  function explain(purpose: string, error: unknown, code: string): Refusal {
    const isBreaker = error instanceof BreakerOpenError;
    const text = error instanceof SmsSendError || isBreaker ? error.message : 'unexpected failure';
    const isOutcomeUnknown = error instanceof SmsSendError ? error.isOutcomeUnknown : !isBreaker;
    const reason = redact(text, config, code);
    if (!isBreaker) {
      const fields = { component: 'sms', gateway: gateway?.name, purpose, outcome_unknown: isOutcomeUnknown, reason };
      log.warn(fields, 'An SMS message could not be sent.');
    }
    const cause = new SmsSendError(reason, isOutcomeUnknown, {
      isAboutMessage: error instanceof SmsSendError && error.isAboutMessage,
      cause: error instanceof SmsSendError ? error.cause : error,
    });
    const options = isBreaker ? { cause, retryAfterSeconds: error.waitSeconds } : { cause };
    return refuse('smsSendFailed', { kind: purpose, reason }, options);
  }

  function openedGateway(): SmsGateway {
    if (gateway !== null) return gateway;
    const cause = new SmsSendError('AUTH_SMS_PROVIDER is unset, or lacks what it needs to send', false);
    throw refuse('smsProviderMissing', {}, { cause });
  }

  return {
    testCode,
    supports: (channel) => channel === 'sms' || gateway?.channels.some((known) => known === channel) === true,
    assertReady(purpose, to) {
      if (testCode(to) !== null) return;
      openedGateway();
      const wait = breaker.waitSeconds();
      if (wait > 0) throw explain(purpose, new BreakerOpenError(wait), '');
    },
    async send(purpose, to, channel, code) {
      if (testCode(to) !== null) return { messageId: TEST_MESSAGE_ID };
      const opened = openedGateway();
      const message = { to, channel, code, text: renderText(config.smsTemplate, code) };
      try {
        return { messageId: await breaker.run(() => opened.send(message)) };
      } catch (error) {
        throw explain(purpose, error, code);
      }
    },
  };
}

const gateways = { twilio, messagebird, textlocal, vonage };

/** null: none is chosen, or the chosen one lacks a setting, which config/checks.ts says at boot. */
function openGateway(config: Config, sink: SmsSink | undefined): SmsGateway | null {
  const name = config.smsProvider;
  if (name === null) return null;
  if (name === 'log') return sink === undefined ? null : logGateway(sink);
  return gateways[name](config);
}
