import { randomUUID } from 'node:crypto';
import type { SmsGateway, SmsMessage } from './contract.js';

/** Receives the messages under `latchkey dev`. */
export type SmsSink = (message: SmsMessage & { readonly sentAt: Date }) => void;

/** SMS_PROVIDER=log: no message leaves the machine. It supports every channel, as it replaces any gateway. */
export function logGateway(sink: SmsSink): SmsGateway {
  return {
    name: 'log',
    channels: ['sms', 'whatsapp'],
    async send(message) {
      sink({ ...message, sentAt: new Date() });
      return randomUUID();
    },
  };
}
