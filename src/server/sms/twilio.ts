import type { Config } from '../config/settings.js';
import { type SmsGateway, type SmsMessage, SmsSendError } from './contract.js';
import { isAboutMessage, postForm } from './gateway.js';

/** https://www.twilio.com/docs/messaging/api/message-resource */
export function twilio(config: Config): SmsGateway | null {
  const { smsTwilioAccountSid: account, smsTwilioAuthToken: token, smsTwilioMessageServiceSid: sender } = config;
  if (account === '' || token === '' || sender === '') return null;
  return {
    name: 'twilio',
    channels: ['sms', 'whatsapp'],
    async send(message) {
      const { status, body } = await postForm(
        {
          url: `${config.smsTwilioApiUrl}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
          authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
          fields: message.channel === 'whatsapp' ? whatsappFields(config, message) : smsFields(config, message),
        },
        config.internalHttpTimeoutSeconds,
      );
      if (status !== 200 && status !== 201) {
        const text = `${body.message ?? ''} More information: ${body.more_info ?? ''}`;
        throw new SmsSendError(text, false, { isAboutMessage: isAboutMessage(status) });
      }
      if (body.status === 'failed' || body.status === 'undelivered') {
        const text = `twilio error: ${body.error_message ?? ''} ${body.error_code ?? ''} for message ${body.sid ?? ''}`;
        throw new SmsSendError(text, false, { isAboutMessage: true });
      }
      return String(body.sid ?? '');
    },
  };
}

const smsFields = (config: Config, { to, text }: SmsMessage) => ({
  To: `+${to}`,
  Channel: 'sms',
  From: config.smsTwilioMessageServiceSid,
  Body: text,
});

/** A number needs the WhatsApp prefix; a messaging service chooses its sender. */
function whatsappFields(config: Config, { to, text, code }: SmsMessage): Record<string, string> {
  const sender = config.smsTwilioMessageServiceSid;
  const isNumber = /^[1-9][0-9]{1,14}$/.test(sender.replace(/^\+/, '').replaceAll(' ', ''));
  const template = config.smsTwilioContentSid;
  return {
    To: `whatsapp:+${to}`,
    Channel: 'whatsapp',
    From: isNumber ? `whatsapp:${sender}` : sender,
    ...(template === '' ? { Body: text } : { ContentSid: template, ContentVariables: `{"1": "${code}"}` }),
  };
}
