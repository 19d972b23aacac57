import type { Config } from '../config/settings.js';
import { type SmsGateway, SmsSendError } from './contract.js';
import { postForm } from './gateway.js';

/**
 * Wrong number, wrong text, barred, unroutable, not on the account's list, deactivated
 * (https://developer.vonage.com/messaging/sms/guides/troubleshooting-sms).
 */
const ABOUT_MESSAGE: ReadonlySet<string> = new Set(['3', '6', '7', '22', '29', '33']);

/** Vonage responds with status 200 to rejected messages, too. */
export function vonage(config: Config): SmsGateway | null {
  const { smsVonageApiKey: key, smsVonageApiSecret: secret, smsVonageFrom: from } = config;
  if (key === '' || secret === '' || from === '') return null;
  return {
    name: 'vonage',
    channels: ['sms'],
    async send({ to, text }) {
      const { body } = await postForm(
        {
          url: `${config.smsVonageApiUrl}/sms/json`,
          fields: {
            from,
            to,
            text,
            api_key: key,
            api_secret: secret,
            ...(/[^\0-\x7f]/.test(text) && { type: 'unicode' }),
          },
        },
        config.internalHttpTimeoutSeconds,
      );
      const message = body.messages?.[0];
      if (message === undefined) throw new SmsSendError('vonage error: Internal Error', false);
      const id = String(message['message-id'] ?? '');
      const status = String(message.status);
      if (status === '0') return id;
      throw new SmsSendError(
        `vonage error: ${message['error-text'] ?? ''} (status: ${status}) for message ${id}`,
        false,
        { isAboutMessage: ABOUT_MESSAGE.has(status) },
      );
    },
  };
}
