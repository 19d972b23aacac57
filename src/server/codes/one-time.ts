import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { FlowInput, MailInput, OneTimeTokenInput } from '../../db/outgoing.js';
import type { Metadata } from '../../db/user-rows.js';
import type { MailMessage } from '../mail/contract.js';
import { type CodeKind, limitsOf, linkTypeOf, type MailKind, textKindOf, usualCodeOf } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import { type MessageAccount, viewMessageAccount } from './message-account.js';
import type { PkceRequest } from './pkce.js';

/**
 * The stored kind of a pending sign-up. There is one per address and audience, so that an application does not replace
 * the code of another (SEC-85). The default audience has no suffix.
 */
export const pendingKind = ({ config }: Pick<App, 'config'>, audience: string): string =>
  audience === config.jwtAudience ? 'sign_up' : `sign_up:${audience}`;

/** Prefix of link tokens of a PKCE flow, as in supabase/auth. */
export const PKCE_PREFIX = 'pkce_';

/** A mail, with the code and link of its kind. */
export interface MailPlan {
  readonly mail: MailKind;
  readonly to: string;
  /** Default: the usual one of the mail. */
  readonly code?: CodeKind;
}

/** Data of the recipient, for the templates. */
interface MailSubject {
  readonly email: string;
  readonly newEmail?: string | null;
  readonly data: Metadata;
  readonly sessionId?: string | null;
  readonly account: MessageAccount;
  /** Of the request, for the hook. */
  readonly ip: string | null;
}

/** What a statement stores to send codes. */
export interface PreparedMails {
  readonly tokens: readonly OneTimeTokenInput[];
  readonly mails: readonly MailInput[];
  readonly flow: FlowInput | null;
}

export const NOTHING_TO_SEND: PreparedMails = { tokens: [], mails: [], flow: null };

/**
 * Generates and hashes the codes and links of mails, and seals the mails for the outbox. Stores nothing, and sends nothing
 * unless the hook send_email is on, which is asked now: a request that it fails leaves nothing behind.
 * @param pkce the links then issue an auth code instead of tokens (RFC 7636)
 * @param redirectTo an allowed target
 * @throws ApiError of the hook
 */
export async function prepareMails(
  app: Pick<App, 'config' | 'crypto' | 'mail' | 'db' | 'limits'>,
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
    plans.map((plan) =>
      usualCodeOf(plan.mail) ? mintOneTime(app, plan, flow?.id ?? null, subject.sessionId ?? null) : null,
    ),
  );
  const messages: readonly MailMessage[] = plans.map(({ to, mail }, index) => ({
    kind: mail,
    to,
    email: subject.email,
    newEmail: subject.newEmail ?? null,
    ip: subject.ip,
    code: minted[index]?.code ?? '',
    linkToken: minted[index]?.linkToken ?? null,
    linkType: linkTypeOf(mail),
    redirectTo,
    data: subject.data,
  }));
  const isSent = app.mail.sendNow !== undefined && (await sendMailsNow(app, messages, subject));
  const mails = isSent ? [] : app.mail.seal(messages);
  return { tokens: minted.flatMap((one) => one?.stored ?? []), mails, flow };
}

/** @returns false: the mails are to be stored. @throws ApiError of the hook, which gives the send interval back */
async function sendMailsNow(
  app: Pick<App, 'config' | 'mail' | 'db' | 'limits'>,
  messages: readonly MailMessage[],
  { email, account }: MailSubject,
): Promise<boolean> {
  const user = await viewMessageAccount(app, account);
  if (user === undefined) return true;
  try {
    return await app.mail.sendNow!(messages, user);
  } catch (error) {
    for (const limit of new Set(messages.flatMap(({ kind }) => limitsOf(kind)))) {
      await app.limits.refundRecipient(limit, email);
    }
    throw error;
  }
}

/** Code and link of a mail, and their stored hashes. */
export interface Minted {
  readonly code: string;
  /** Null without a link. */
  readonly linkToken: string | null;
  readonly stored: OneTimeTokenInput;
}

/** Generates the code and the link of a plan; stores nothing. @param flowStateId of a PKCE flow, or null */
export async function mintOneTime(
  app: Pick<App, 'config' | 'crypto'>,
  { mail, to, code: kind = usualCodeOf(mail)! }: MailPlan,
  flowStateId: string | null = null,
  sessionId: string | null = null,
): Promise<Minted> {
  const code = generateCode(app.config.mailerOtpLength);
  const linkToken = linkTypeOf(mail) === null ? null : generateLinkToken(flowStateId !== null);
  const [code_hash, link_hash] = await Promise.all([
    hashCode(app, kind, to, code),
    linkToken === null ? null : hashLink(app, linkToken),
  ]);
  const stored = { kind, recipient: to, link_hash, code_hash, flow_state_id: flowStateId, session_id: sessionId };
  return { code, linkToken, stored };
}

/** A code for a phone, and what the statement stores with it. */
export interface PreparedText {
  readonly code: string;
  readonly token: OneTimeTokenInput;
  /** The text, if it is sent from the outbox. */
  readonly queued: readonly MailInput[];
}

/**
 * Generates a code for a phone; a test number has a fixed one. With the hook send_sms the code is sent now, or sealed for the
 * outbox.
 * @throws ApiError of the hook, which gives the send interval back
 */
export async function preparePhoneCode(
  app: Pick<App, 'config' | 'crypto' | 'sms' | 'db' | 'limits'>,
  kind: CodeKind,
  phone: string,
  account: MessageAccount,
  ip: string | null,
  sessionId: string | null = null,
): Promise<PreparedText> {
  const code = app.sms.testCode(phone) ?? generateCode(app.config.smsOtpLength);
  const token: OneTimeTokenInput = {
    kind,
    recipient: phone,
    link_hash: null,
    code_hash: await hashCode(app, kind, phone, code),
    flow_state_id: null,
    session_id: sessionId,
  };
  if (account === null || kind === 'decoy' || app.sms.testCode(phone) !== null) return { code, token, queued: [] };
  const isQueued =
    app.sms.isQueued || (app.sms.sendNow !== undefined && !(await sendTextNow(app, account, phone, code, ip)));
  if (!isQueued) return { code, token, queued: [] };
  const data = typeof account === 'string' ? {} : account.userMetadata;
  return { code, token, queued: app.sms.seal({ kind: textKindOf(kind), to: phone, code, ip, data }) };
}

/** @returns false: the text is to be stored. @throws ApiError of the hook, which gives the send interval back */
async function sendTextNow(
  app: Pick<App, 'config' | 'sms' | 'db' | 'limits'>,
  account: MessageAccount,
  phone: string,
  code: string,
  ip: string | null,
): Promise<boolean> {
  const user = await viewMessageAccount(app, account);
  if (user === undefined) return true;
  try {
    return await app.sms.sendNow!(phone, code, user, ip);
  } catch (error) {
    await app.limits.refundRecipient('sms', phone);
    throw error;
  }
}

/** Uniform over all codes of that length, including leading zeros (SEC-37). */
const generateCode = (digits: number): string => String(randomInt(10 ** digits)).padStart(digits, '0');

/** 224 random bits in 56 hex digits, the format of supabase/auth (SEC-36). */
export const generateLinkToken = (isPkce: boolean): string =>
  `${isPkce ? PKCE_PREFIX : ''}${randomBytes(28).toString('hex')}`;

export const hashCode = (app: Pick<App, 'crypto'>, kind: CodeKind, recipient: string, code: string): Promise<string> =>
  app.crypto.hashOneTimeCode(kind, recipient, code);

export const hashLink = (app: Pick<App, 'crypto'>, linkToken: string): Promise<string> =>
  app.crypto.hashOneTimeCode('link', '', linkToken);

export const hashAuthCode = (app: Pick<App, 'crypto'>, authCode: string): Promise<string> =>
  app.crypto.hashOneTimeCode('auth_code', '', authCode);
