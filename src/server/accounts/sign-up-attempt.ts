/** One sign-up with a password, and what each of its outcomes needs of it. */
import type { Channel, Metadata } from '../../db/users.js';
import type { PasswordHashing } from '../../workers/wire.js';
import type { App, Client } from '../app.js';
import type { SmsChannel } from '../sms/contract.js';
import { type AuditEntry, auditEntry } from './audit.js';
import { type Confirmation, prepareConfirmation } from './confirmation.js';
import type { PkceRequest } from './pkce.js';
import type { TokenResponse } from './sessions.js';

export interface SignUpRequest {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data: Metadata;
  /** How a phone is reached: sms (or empty) or whatsapp. */
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

/** Tokens where the address counts as confirmed at once, else the user object. */
export type SignUpAnswer = TokenResponse | Record<string, unknown>;

/** Everything one sign-up carries along; made once the request has passed the rules. */
export interface Attempt {
  readonly app: App;
  /** Its place in the hash queue is kept. */
  readonly hashing: PasswordHashing;
  readonly client: Client;
  readonly request: SignUpRequest;
  readonly channel: Channel;
  readonly address: string;
  readonly smsChannel: SmsChannel;
  readonly pkce: PkceRequest | null;
  /** The channel's autoconfirm is on: the address counts as proven at once. */
  readonly isAutoconfirmed: boolean;
}

/** @param kind of a pending sign-up rather than an account */
export const prepareCodes = (attempt: Attempt, data: Metadata, kind?: 'sign_up'): Promise<Confirmation> => {
  const { app, channel, address, smsChannel, pkce, request } = attempt;
  const { redirectTo } = request;
  return prepareConfirmation(app, { channel, address, smsChannel, pkce, data, redirectTo, ...(kind && { kind }) });
};

export function newUserAudit({ channel, address, smsChannel, isAutoconfirmed }: Attempt, id: string): AuditEntry[] {
  const actor = { id, email: channel === 'email' ? address : null, phone: channel === 'phone' ? address : null };
  if (!isAutoconfirmed) return [auditEntry(actor, 'user_confirmation_requested', { provider: channel })];
  const traits = channel === 'email' ? { provider: channel } : { provider: channel, channel: smsChannel };
  return [auditEntry(actor, 'user_signedup', traits), auditEntry(actor, 'login', { provider: channel })];
}
