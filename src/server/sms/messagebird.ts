import type { Config } from '../config/settings.js';
import { type SmsGateway, SmsSendError } from './contract.js';
import { isAboutMessage, isGood, postForm } from './gateway.js';

/** https://developers.messagebird.com/api/sms-messaging */
export function messagebird(config: Config): SmsGateway | null {
  const { smsMessagebirdAccessKey: key, smsMessagebirdOriginator: originator } = config;
  if (key === '' || originator === '') return null;
  return {
    name: 'messagebird',
    channels: ['sms'],
    async send({ to, text }) {
      const { status, body } = await postForm(
        {
          url: `${config.smsMessagebirdApiUrl}/messages`,
          authorization: `AccessKey ${key}`,
          fields: {
            originator,
            body: text,
            recipients: to,
            type: 'sms',
            datacoding: 'unicode',
          },
        },
        config.internalHttpTimeoutSeconds,
      );
      if (!isGood(status)) {
        const text = body.errors?.[0]?.description ?? `messagebird error: status ${status}`;
        throw new SmsSendError(String(text), false, { isAboutMessage: isAboutMessage(status) });
      }
      if (!body.recipients?.totalSentCount) {
        throw new SmsSendError('messagebird error: total sent count is 0', false, { isAboutMessage: true });
      }
      return String(body.id ?? '');
    },
  };
}
