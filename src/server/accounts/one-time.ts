import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { FlowInput, MailInput, OneTimeTokenInput } from '../../db/one-time-tokens.js';
import type { Metadata } from '../../db/users.js';
import type { App } from '../app.js';
import type { MailKind } from '../mail/contract.js';
import type { PkceRequest } from './pkce.js';

/** What a code or link proves. One of each kind is out per account; a newer one ends the older (SEC-38). */
export type OneTimeKind =
  | 'confirmation'
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new'
  | 'phone_change'
  | 'reauthentication'
  | 'sign_up'
  | 'decoy';

/**
 * What a pending sign-up is stored as. One is out per address and audience: an application that asks for a code must not
 * end that of another (SEC-85). The default audience has the bare word.
 */
export const pendingKind = ({ config }: Pick<App, 'config'>, audience: string): string =>
  audience === config.jwtAudience ? 'sign_up' : `sign_up:${audience}`;

/** What a link of the compatible peer begins with when it belongs to a PKCE flow. */
export const PKCE_PREFIX = 'pkce_';

/** One mail that is to carry a code, and a link unless `linkType` is null. */
export interface MailPlan {
  readonly kind: OneTimeKind;
  readonly to: string;
  readonly mailKind: MailKind;
  readonly linkType: 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change' | null;
}

/** Whom the mails are about. */
export interface MailSubject {
  readonly email: string;
  readonly newEmail?: string | null;
  readonly data: Metadata;
  readonly sessionId?: string | null;
}

/** Everything a statement stores so that codes can go out. */
export interface PreparedMails {
  readonly tokens: readonly OneTimeTokenInput[];
  readonly mails: readonly MailInput[];
  readonly flow: FlowInput | null;
}

export const NOTHING_TO_SEND: PreparedMails = { tokens: [], mails: [], flow: null };

/**
 * Makes the codes and links of some mails, from the system's generator, hashed in the crypto pool, and seals the mails
 * for the outbox. Stores and sends nothing yet.
 * @param pkce with a challenge, the links hand out an auth code in place of tokens (RFC 7636)
 * @param redirectTo checked target of the links
 */
export async function prepareMails(
  app: Pick<App, 'config' | 'crypto' | 'mail'>,
  subject: MailSubject,
  plans: readonly MailPlan[],
  pkce: PkceRequest | null,
  redirectTo: string,
): Promise<PreparedMails> {
  const flow: FlowInput | null = pkce && {
    id: randomUUID(),
    authentication_method: pkce.authenticationMethod,
    code_challenge: pkce.challenge,
    code_challenge_method: pkce.method,
  };
  const minted = await Promise.all(
    plans.map((plan) => mintOneTime(app, plan, flow?.id ?? null, subject.sessionId ?? null)),
  );
  const mails = app.mail.seal(
    plans.map(({ to, mailKind, linkType }, index) => ({
      kind: mailKind,
      to,
      email: subject.email,
      newEmail: subject.newEmail ?? null,
      code: minted[index]!.code,
      linkToken: minted[index]!.linkToken,
      linkType,
      redirectTo,
      data: subject.data,
    })),
  );
  return { tokens: minted.map(({ stored }) => stored), mails, flow };
}

/** What one mail carries, and what is stored of it: hashes only. */
export interface Minted {
  readonly code: string;
  /** Null where the plan has no link. */
  readonly linkToken: string | null;
  readonly stored: OneTimeTokenInput;
}

/** Makes the code and the link of one plan; stores nothing. @param flowStateId of a PKCE flow, or null */
export async function mintOneTime(
  app: Pick<App, 'config' | 'crypto'>,
  { kind, to, linkType }: Pick<MailPlan, 'kind' | 'to' | 'linkType'>,
  flowStateId: string | null = null,
  sessionId: string | null = null,
): Promise<Minted> {
  const code = makeCode(app.config.mailerOtpLength);
  const linkToken = linkType === null ? null : makeLinkToken(flowStateId !== null);
  const [code_hash, link_hash] = await Promise.all([
    hashCode(app, kind, to, code),
    linkToken === null ? null : hashLink(app, linkToken),
  ]);
  const stored = { kind, recipient: to, link_hash, code_hash, flow_state_id: flowStateId, session_id: sessionId };
  return { code, linkToken, stored };
}

/** A code for a phone, or the fixed one of a test number. */
export async function preparePhoneCode(
  app: Pick<App, 'config' | 'crypto' | 'sms'>,
  kind: OneTimeKind,
  phone: string,
  sessionId: string | null = null,
): Promise<{ code: string; token: OneTimeTokenInput }> {
  const code = app.sms.testCode(phone) ?? makeCode(app.config.smsOtpLength);
  const token: OneTimeTokenInput = {
    kind,
    recipient: phone,
    link_hash: null,
    code_hash: await hashCode(app, kind, phone, code),
    flow_state_id: null,
    session_id: sessionId,
  };
  return { code, token };
}

/** Uniform over all codes of that length, leading zeros kept (SEC-37). */
const makeCode = (digits: number): string => String(randomInt(10 ** digits)).padStart(digits, '0');

/** 56 hex digits, 224 random bits: the shape clients of the compatible peer know (SEC-36). */
const makeLinkToken = (isPkce: boolean): string => `${isPkce ? PKCE_PREFIX : ''}${randomBytes(28).toString('hex')}`;

export const hashCode = (
  app: Pick<App, 'crypto'>,
  kind: OneTimeKind,
  recipient: string,
  code: string,
): Promise<string> => app.crypto.hashOneTimeCode(kind, recipient, code);

export const hashLink = (app: Pick<App, 'crypto'>, linkToken: string): Promise<string> =>
  app.crypto.hashOneTimeCode('link', '', linkToken);

export const hashAuthCode = (app: Pick<App, 'crypto'>, authCode: string): Promise<string> =>
  app.crypto.hashOneTimeCode('auth_code', '', authCode);
