import type { OneTimeTokenInput } from '../../db/outgoing.js';
import type { Channel, Metadata } from '../../db/user-rows.js';
import type { App } from '../runtime/app.js';
import type { SmsChannel } from '../sms/contract.js';
import type { MessageAccount } from './message-account.js';
import { type PreparedMails, prepareMails, preparePhoneCode } from './one-time.js';
import type { PkceRequest } from './pkce.js';
import { textCodeLater } from './send-rules.js';

/** The codes of a confirmation: what a statement stores, and how they are sent after its commit. */
export interface Confirmation {
  readonly stored: PreparedMails;
  /** @param takeBack deletes the code of an SMS that was certainly not delivered; mails are retried instead */
  send(takeBack: (token: OneTimeTokenInput) => Promise<void>): void;
}

interface ConfirmationRequest {
  readonly channel: Channel;
  readonly address: string;
  readonly data: Metadata;
  readonly smsChannel: SmsChannel;
  readonly pkce: PkceRequest | null;
  readonly redirectTo: string;
  readonly account: MessageAccount;
  readonly ip: string | null;
  /** For a pending sign-up instead of an account. */
  readonly kind?: 'sign_up';
}

/** Generates the codes that confirm the address of a new account. */
export async function prepareConfirmation(app: App, request: ConfirmationRequest): Promise<Confirmation> {
  const { channel, address, kind = 'confirmation' } = request;
  if (channel === 'email') {
    const stored = await prepareMails(
      app,
      { email: address, data: request.data, account: request.account, ip: request.ip },
      [{ mail: 'confirmation', to: address, code: kind }],
      request.pkce,
      request.redirectTo,
    );
    return { stored, send: () => app.mail.nudge() };
  }
  const { code, token, queued } = await preparePhoneCode(app, kind, address, request.account, request.ip);
  const text = { purpose: 'confirmation', phone: address, channel: request.smsChannel, code, queued };
  return {
    stored: { tokens: [token], mails: queued, flow: null },
    send: (takeBack) =>
      textCodeLater(app, { ...text, messageId: app.sms.newMessageId(address) }, () => takeBack(token)),
  };
}
