/** Texts that leave after the answer, where waiting for the gateway would tell a known number from an unknown one (SEC-92). */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { refuse } from '../errors.js';
import type { Log } from '../telemetry/log.js';
import { type LaterText, type SmsRoom, type SmsSendError, type SmsSender, TEST_MESSAGE_ID } from './contract.js';

/** A text takes 6 s at most, so more than this are under way only while the gateway hardly answers. */
const MOST_UNDER_WAY = 100;

/**
 * @param sender tries each text once
 * @param mostUnderWay for tests
 */
export function withLaterTexts(
  sender: SmsSender,
  log: Pick<Log, 'info' | 'warn'>,
  mostUnderWay = MOST_UNDER_WAY,
): SmsRoom {
  const underWay = new Set<Promise<void>>();

  async function send(text: LaterText): Promise<void> {
    const { messageId, purpose, to, channel, code } = text;
    const fields = { component: 'sms', purpose, message_id: messageId };
    // The answer is written at the end of this turn.
    await nextTurn();
    try {
      const sent = await sender.send(purpose, to, channel, code);
      log.info({ ...fields, gateway_message_id: sent.messageId }, 'A text left after its answer');
    } catch (error) {
      if (isOutcomeUnknown(error)) return;
      log.info(fields, 'A text did not leave: its code is taken back');
      await text.takeBack();
    }
  }

  /** Never rejects: nobody waits for it but {@link SmsRoom.close}. */
  const sendQuietly = (text: LaterText): Promise<void> =>
    send(text).catch((error: unknown) => {
      const fields = { component: 'sms', purpose: text.purpose, message_id: text.messageId };
      log.warn({ ...fields, reason: (error as Error).message }, 'The code of a text that did not leave stays valid');
    });

  return {
    ...sender,
    assertReady(purpose, to) {
      sender.assertReady(purpose, to);
      if (underWay.size >= mostUnderWay) throw refuse('overloaded', {}, { retryAfterSeconds: 1 });
    },
    newMessageId: (to) => (sender.testCode(to) === null ? randomUUID() : TEST_MESSAGE_ID),
    sendLater(text) {
      if (sender.testCode(text.to) !== null) return;
      const sending = sendQuietly(text).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close(seconds) {
      await Promise.race([Promise.all(underWay), pause(seconds * 1000, undefined, { ref: false })]);
    },
  };
}

function isOutcomeUnknown(error: unknown): boolean {
  return (error as { cause?: Partial<SmsSendError> }).cause?.isOutcomeUnknown === true;
}
