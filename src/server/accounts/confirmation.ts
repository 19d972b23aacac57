import type { OneTimeTokenInput } from '../../db/one-time-tokens.js';
import type { Channel, Metadata } from '../../db/users.js';
import type { App } from '../app.js';
import type { SmsChannel } from '../sms/contract.js';
import { type PreparedMails, prepareMails, preparePhoneCode } from './one-time.js';
import type { PkceRequest } from './pkce.js';
import { textCodeLater } from './send-rules.js';

/** The codes of one confirmation: what a statement stores, and how they leave once it is committed. */
export interface Confirmation {
  readonly stored: PreparedMails;
  /** @param takeBack ends the code of a text that certainly reached nobody; mails are retried instead */
  send(takeBack: (token: OneTimeTokenInput) => Promise<void>): void;
}

export interface ConfirmationRequest {
  readonly channel: Channel;
  readonly address: string;
  readonly data: Metadata;
  readonly smsChannel: SmsChannel;
  readonly pkce: PkceRequest | null;
  readonly redirectTo: string;
  /** Of a pending sign-up rather than an account. */
  readonly kind?: 'sign_up';
}

/** Makes the codes that prove a new account's address. */
export async function prepareConfirmation(app: App, request: ConfirmationRequest): Promise<Confirmation> {
  const { channel, address, kind = 'confirmation' } = request;
  if (channel === 'email') {
    const stored = await prepareMails(
      app,
      { email: address, data: request.data },
      [{ kind, to: address, mailKind: 'confirmation', linkType: 'signup' }],
      request.pkce,
      request.redirectTo,
    );
    return { stored, send: () => app.mail.nudge() };
  }
  const { code, token } = await preparePhoneCode(app, kind, address);
  const text = { purpose: 'confirmation', phone: address, channel: request.smsChannel, code };
  return {
    stored: { tokens: [token], mails: [], flow: null },
    send: (takeBack) =>
      textCodeLater(app, { ...text, messageId: app.sms.newMessageId(address) }, () => takeBack(token)),
  };
}
