/** Tells the limits how messages fare, so that requests which send none burn no more than those that do (guards/decoy-intervals.ts). */
import type { Channel } from '../../db/user-rows.js';
import type { Limits } from '../guards/contract.js';
import { DeliveryError } from '../outbox/delivery-error.js';
import { type SmsClient, SmsSendError, TEST_MESSAGE_ID } from '../sms/contract.js';

type Around<Kind extends string> = (kind: Kind, deliver: () => Promise<void>) => Promise<void>;

/** @param around wraps each delivery of the outbox @returns the same, and notes how it ended */
export const noteOutbox =
  <Kind extends string>(limits: Limits, channel: Channel, around: Around<Kind> | undefined): Around<Kind> =>
  (kind, deliver) =>
    note(limits, channel, () => (around === undefined ? deliver() : around(kind, deliver)));

/** @returns the client, which notes how each call of its gateway ended */
export const noteTexts = (client: SmsClient, limits: Limits): SmsClient => ({
  ...client,
  send: (...message) => note(limits, 'phone', () => client.send(...message), isSent),
  deliver: (...message) => note(limits, 'phone', () => client.deliver(...message)),
  sendFactorCode: (...message) => note(limits, 'phone', () => client.sendFactorCode(...message)),
});

/** False: the text waits in the outbox, left by the hook, or has a test number. */
const isSent = ({ messageId }: { messageId: string }): boolean => messageId !== '' && messageId !== TEST_MESSAGE_ID;

async function note<Result>(
  limits: Limits,
  channel: Channel,
  send: () => Promise<Result>,
  isSent: (result: Result) => boolean = () => true,
): Promise<Result> {
  const began = performance.now();
  try {
    const result = await send();
    if (isSent(result)) limits.noteDelivery(channel, true, performance.now() - began);
    return result;
  } catch (error) {
    if (isOutage(error)) limits.noteDelivery(channel, false, performance.now() - began);
    throw error;
  }
}

/** Nothing was sent, and no other recipient would have got it. */
function isOutage(error: unknown): boolean {
  if (error instanceof DeliveryError) {
    const isAboutMessage = error.isFinal || ['recipient', 'data'].includes(error.facts['stage'] ?? '');
    return !isAboutMessage && !error.isOutcomeUnknown;
  }
  const cause = error instanceof SmsSendError ? error : (error as Error).cause;
  return cause instanceof SmsSendError && !cause.isAboutMessage && !cause.isOutcomeUnknown;
}
