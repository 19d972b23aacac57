/** Sends texts after the response, where the time of the gateway would reveal which numbers are known (SEC-92). */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { apiError } from '../errors.js';
import type { Log } from '../telemetry/log.js';
import { type DeferredText, type SmsClient, type SmsSendError, type SmsSender, TEST_MESSAGE_ID } from './contract.js';

/** A text takes at most 6 s, so that only a gateway that hardly responds leads to more. */
const MAX_IN_FLIGHT = 100;

/**
 * @param client sends each text once
 * @param maxInFlight for tests
 */
export function withDeferredTexts(
  client: SmsClient,
  log: Pick<Log, 'info' | 'warn'>,
  maxInFlight = MAX_IN_FLIGHT,
): SmsSender {
  const inFlight = new Set<Promise<void>>();

  async function send(text: DeferredText): Promise<void> {
    const { messageId, purpose, to, channel, code } = text;
    const fields = { component: 'sms', purpose, message_id: messageId };
    // The response is written at the end of this event-loop turn.
    await nextTurn();
    try {
      const sent = await client.send(purpose, to, channel, code);
      log.info({ ...fields, gateway_message_id: sent.messageId }, 'A text left after its answer');
    } catch (error) {
      if (isOutcomeUnknown(error)) return;
      log.info(fields, 'A text did not leave: its code is taken back');
      await text.takeBack();
    }
  }

  /** Never rejects. */
  const sendQuietly = (text: DeferredText): Promise<void> =>
    send(text).catch((error: unknown) => {
      const fields = { component: 'sms', purpose: text.purpose, message_id: text.messageId };
      log.warn({ ...fields, reason: (error as Error).message }, 'The code of a text that did not leave stays valid');
    });

  return {
    ...client,
    assertReady(purpose, to) {
      client.assertReady(purpose, to);
      if (inFlight.size >= maxInFlight) throw apiError('overloaded', {}, { retryAfterSeconds: 1 });
    },
    newMessageId: (to) => (client.testCode(to) === null ? randomUUID() : TEST_MESSAGE_ID),
    sendLater(text) {
      if (client.testCode(text.to) !== null) return;
      const sending = sendQuietly(text).finally(() => inFlight.delete(sending));
      inFlight.add(sending);
    },
    async close(seconds) {
      await Promise.race([Promise.all(inFlight), pause(seconds * 1000, undefined, { ref: false })]);
    },
  };
}

function isOutcomeUnknown(error: unknown): boolean {
  return (error as { cause?: Partial<SmsSendError> }).cause?.isOutcomeUnknown === true;
}
