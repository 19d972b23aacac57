/** Challenges of phone factors: a code goes out as a text. */
import { randomUUID } from 'node:crypto';
import { viewUser } from '../accounts/user-view.js';
import { readSmsChannel } from '../codes/send-rules.js';
import type { App, Client } from '../runtime/app.js';
import type { SmsSendError } from '../sms/contract.js';
import type { ChallengeParts } from './contract.js';
import type { FactorCaller, OwnFactor } from './own-factor.js';
import { generatePhoneCode, hashPhoneCode } from './phone-code.js';

/**
 * Sends a code, which each challenge has one of, before the challenge is stored. A text that certainly did not leave
 * gives its interval back.
 * @throws ApiError invalidChannel, tooSoonForSms, smsProviderMissing, factorTextFailed, factorTextHookFailed
 */
export async function challengePhone(
  app: App,
  client: Client,
  caller: FactorCaller,
  factor: OwnFactor,
  givenChannel: string,
): Promise<ChallengeParts> {
  const channel = readSmsChannel(app, givenChannel);
  const recipient = `factor ${factor.id}`;
  await app.limits.takeForRecipient('sms', recipient, app.config.mfaPhoneMaxFrequencySeconds);
  const code = generatePhoneCode(app.config.mfaPhoneOtpLength);
  const message = { to: factor.phone ?? '', channel, code };
  try {
    await app.sms.sendFactorCode(message, viewUser(caller.user), client.ip);
  } catch (error) {
    const cause = (error as { cause?: Partial<SmsSendError> }).cause;
    if (cause?.isOutcomeUnknown !== true) await app.limits.refundRecipient('sms', recipient);
    throw error;
  }
  const id = randomUUID();
  return { id, codeHash: hashPhoneCode(app.keys.factorCode.current, id, code) };
}
