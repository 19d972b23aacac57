import { randomUUID } from 'node:crypto';
import type { SmsGateway, SmsMessage } from './contract.js';

/** Where messages go under `latchkey dev`, which hands one in; nothing else does. */
export type SmsSink = (message: SmsMessage & { readonly sentAt: Date }) => void;

/** SMS_PROVIDER=log: nothing leaves this machine. Stands in for any gateway, so it takes every channel. */
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
