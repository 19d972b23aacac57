import type { Config } from '../config/settings.js';
import { type SmsGateway, SmsSendError } from './contract.js';
import { postForm } from './gateway.js';

/** No recipient, wrong format, unsupported and no valid number (https://api.textlocal.in/docs/sendsms). */
const ABOUT_NUMBER: ReadonlySet<unknown> = new Set([4, 32, 33, 51]);
/** The text is not one of the templates registered for the sender. */
const TEMPLATE_UNKNOWN = 80;

/** Textlocal responds with status 200 to rejected messages, too. */
export function textlocal(config: Config): SmsGateway | null {
  const { smsTextlocalApiKey: apikey, smsTextlocalSender: sender } = config;
  if (apikey === '' || sender === '') return null;
  return {
    name: 'textlocal',
    channels: ['sms'],
    async send({ to, text }) {
      const { status, body } = await postForm(
        {
          url: `${config.smsTextlocalApiUrl}/send`,
          fields: { sender, apikey, message: text, numbers: to },
        },
        config.internalHttpTimeoutSeconds,
      );
      const id = String(body.messages?.[0]?.id ?? '');
      if (body.status === 'success') return id;
      const { code = status, message = 'no reason given' } = body.errors?.[0] ?? {};
      const tail = code === TEMPLATE_UNKNOWN ? `template message: ${text}` : `message ${id}`;
      throw new SmsSendError(`textlocal error: ${message} (code: ${code}) ${tail}`, false, {
        isAboutMessage: ABOUT_NUMBER.has(code),
      });
    },
  };
}
