/** A sign-up with a password, and what its outcomes share. */
import type { Channel, Metadata } from '../../db/user-rows.js';
import type { PasswordHashing } from '../../workers/wire.js';
import { type Confirmation, prepareConfirmation } from '../codes/confirmation.js';
import type { MessageAccount } from '../codes/message-account.js';
import type { PkceRequest } from '../codes/pkce.js';
import type { App, Client } from '../runtime/app.js';
import type { TokenResponse } from '../sessions/open.js';
import type { SmsChannel } from '../sms/contract.js';
import { type AuditEntry, auditEntry } from './audit.js';

export interface SignUpRequest {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data: Metadata;
  /** sms (or empty) or whatsapp. */
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

/** Tokens with autoconfirm, else the user object. */
export type SignUpAnswer = TokenResponse | Record<string, unknown>;

export interface SignUpAttempt {
  readonly app: App;
  /** The reserved slot of the hash queue. */
  readonly hashing: PasswordHashing;
  readonly client: Client;
  readonly request: SignUpRequest;
  readonly channel: Channel;
  readonly address: string;
  readonly smsChannel: SmsChannel;
  readonly pkce: PkceRequest | null;
  /** Autoconfirm of the channel is on. */
  readonly isAutoconfirmed: boolean;
}

/**
 * @param account that gets the codes; null: a decoy
 * @param kind sign_up: for a pending sign-up instead of an account
 */
export const prepareCodes = (
  attempt: SignUpAttempt,
  data: Metadata,
  account: MessageAccount,
  kind?: 'sign_up',
): Promise<Confirmation> => {
  const { app, channel, address, smsChannel, pkce, request } = attempt;
  const { redirectTo } = request;
  return prepareConfirmation(app, {
    channel,
    address,
    smsChannel,
    pkce,
    data,
    redirectTo,
    account,
    ip: attempt.client.ip,
    ...(kind && { kind }),
  });
};

export function auditNewUser(
  { channel, address, smsChannel, isAutoconfirmed }: SignUpAttempt,
  id: string,
): AuditEntry[] {
  const actor = { id, email: channel === 'email' ? address : null, phone: channel === 'phone' ? address : null };
  if (!isAutoconfirmed) return [auditEntry(actor, 'user_confirmation_requested', { provider: channel })];
  const traits = channel === 'email' ? { provider: channel } : { provider: channel, channel: smsChannel };
  return [auditEntry(actor, 'user_signedup', traits), auditEntry(actor, 'login', { provider: channel })];
}
