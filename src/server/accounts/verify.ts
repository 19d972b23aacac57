/** Redeems codes and links: POST /verify and GET /verify (service.md; delivery.md 1). */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  confirmEmailChangeSide,
  type FoundToken,
  type RedeemedRow,
  type Redemption,
  redeemChange,
  redeemConfirmation,
  redeemSignUp,
} from '../../db/one-time-tokens.js';
import type { Channel, SignedInRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from './audit.js';
import { withFixed } from './metadata.js';
import { hashAuthCode, PKCE_PREFIX } from './one-time.js';
import { assertPasswordAcceptable } from './passwords.js';
import { issueTokens, type TokenResponse } from './sessions.js';
import { channelOf, findByCode, findByLink } from './verify-lookup.js';

/** What came of a redemption. */
export type Verified =
  | { readonly outcome: 'signed_in'; readonly tokens: TokenResponse; readonly type: string }
  /** PKCE: an auth code for POST /token?grant_type=pkce. */
  | { readonly outcome: 'auth_code'; readonly authCode: string }
  /** The first of the two sides of an email change agreed. */
  | { readonly outcome: 'half_confirmed' };

export interface CodeRedemption {
  readonly type: string;
  readonly contact: { readonly channel: Channel; readonly address: string };
  readonly code: string;
  readonly audience: string;
  /** For accounts that have none (decisions.md 6); empty: not given. */
  readonly password: string;
}

/** @throws Refusal codeInvalid, userBanned, verifyPasswordRequired, weakPassword, emailExists, phoneExists */
export async function verifyCode(
  app: App,
  client: Client,
  { type, contact, code, audience, password }: CodeRedemption,
) {
  const token = await findByCode(app, type, contact, code, audience);
  return redeem(app, client, token, { type, password, wantsAuthCode: false, refusal: 'codeInvalid' });
}

/**
 * @param isNavigation a browser followed the link (GET): a link asked for with PKCE hands out an auth code. By POST it
 *   gives tokens.
 * @throws Refusal verifyEmailType, linkInvalid, userBanned, verifyPasswordRequired, weakPassword, emailExists
 */
export async function verifyLink(
  app: App,
  client: Client,
  {
    type,
    linkToken,
    password,
    isNavigation,
  }: { type: string; linkToken: string; password: string; isNavigation: boolean },
): Promise<Verified> {
  const token = await findByLink(app, type, linkToken);
  const wantsAuthCode = isNavigation && linkToken.startsWith(PKCE_PREFIX);
  return redeem(app, client, token, {
    type,
    password: isNavigation ? null : password,
    wantsAuthCode,
    refusal: 'linkInvalid',
  });
}

interface Terms {
  readonly type: string;
  /** Null: a navigation, which cannot bring one. */
  readonly password: string | null;
  readonly wantsAuthCode: boolean;
  /** What a token that was used up a moment ago is answered with. */
  readonly refusal: 'codeInvalid' | 'linkInvalid';
}

async function redeem(app: App, client: Client, token: FoundToken, terms: Terms): Promise<Verified> {
  if (isFirstSide(app, token)) {
    if (!(await confirmEmailChangeSide(app.db, token))) throw refuse(terms.refusal);
    return { outcome: 'half_confirmed' };
  }
  const authCode = terms.wantsAuthCode ? randomUUID() : null;
  const audit = auditOf(token);
  const redemption: Redemption = {
    token,
    sessionMethod: authCode === null ? 'otp' : null,
    userAgent: client.userAgent,
    ip: client.ip,
    authCodeHash: authCode === null ? null : await hashAuthCode(app, authCode),
    audit: storedAudit(app, audit),
  };
  const row = await applyRedemption(app, redemption, terms);
  if (row === undefined) throw refuse(terms.refusal);
  logAudit(
    app,
    client.requestId,
    audit.map((entry) => ({ ...entry, actor_id: row.id })),
  );
  if (authCode !== null) return { outcome: 'auth_code', authCode };
  return {
    outcome: 'signed_in',
    tokens: await issueTokens(app, row as SignedInRow),
    type: resolvedType(terms.type, token),
  };
}

/** Double confirmation applies while a current address exists and no side has agreed yet (delivery.md 1.10). */
function isFirstSide(app: App, token: FoundToken): boolean {
  const { mailerSecureEmailChangeEnabled, mailerAutoconfirm } = app.config;
  return (
    token.kind.startsWith('email_change') &&
    mailerSecureEmailChangeEnabled &&
    !mailerAutoconfirm &&
    Boolean(token.email) &&
    token.email_change_confirmations === 0
  );
}

async function applyRedemption(app: App, redemption: Redemption, terms: Terms): Promise<RedeemedRow | undefined> {
  const { token } = redemption;
  const channel = channelOf(token);
  try {
    if (token.kind.startsWith('email_change')) return await redeemChange(app.db, redemption, 'email');
    if (token.kind === 'phone_change') return await redeemChange(app.db, redemption, 'phone');
    if (token.kind === 'sign_up') return await makeAccount(app, redemption, channel);
    // A recovery link goes to whoever owns the mailbox, not to whoever typed the address in when the account was made.
    const dropsUnproven = token.kind === 'recovery';
    return await redeemConfirmation(
      app.db,
      redemption,
      channel,
      await newPasswordHash(app, token, terms),
      dropsUnproven,
    );
  } catch (error) {
    // Somebody took the address while its confirmation was on the way.
    if ((error as { code?: string }).code !== '23505') throw error;
    throw refuse(channel === 'email' ? 'emailExists' : 'phoneExists');
  }
}

/** decisions.md 6: an account without password must bring one with `signup`, and may with `invite`. */
async function newPasswordHash(app: App, token: FoundToken, terms: Terms): Promise<string | null> {
  const isAsked = token.kind === 'confirmation' && token.lacks_password && ['signup', 'invite'].includes(terms.type);
  if (!isAsked || terms.password === null) return null;
  if (terms.password === '') {
    if (terms.type === 'signup' && channelOf(token) === 'email') throw refuse('verifyPasswordRequired');
    return null;
  }
  assertPasswordAcceptable(terms.password, app.config);
  return app.crypto.hashPassword(terms.password);
}

/**
 * The account of a pending sign-up, with a password nobody knows (decisions.md 4, 6); of somebody who came from a
 * provider, with that identity.
 */
async function makeAccount(app: App, redemption: Redemption, channel: Channel): Promise<RedeemedRow | undefined> {
  const userId = randomUUID();
  const { recipient, sign_up } = redemption.token;
  const { identity } = sign_up ?? {};
  const proof = { email_verified: channel === 'email', phone_verified: channel === 'phone' };
  const contact = channel === 'email' ? { email: recipient } : {};
  const own = identity === undefined ? { sub: userId } : {};
  const identityData = withFixed(sign_up?.data ?? {}, { ...own, ...contact, ...proof });
  return redeemSignUp(app.db, redemption, {
    userId,
    channel,
    role: app.config.jwtDefaultGroupName.trim(),
    passwordHash: await app.crypto.hashPassword(randomBytes(32).toString('base64url')),
    identityData: channel === 'phone' ? withFixed(identityData, { phone: recipient }) : identityData,
    userMetadata: identityData,
    provider: identity?.provider ?? channel,
    subject: identity?.subject ?? null,
  });
}

function auditOf(token: FoundToken): AuditEntry[] {
  const channel = channelOf(token);
  const actor = { id: token.user_id ?? '', email: token.email, phone: token.phone, fullName: token.full_name };
  const named = token.user_id === null ? { ...actor, [channel]: token.recipient } : actor;
  if (token.kind.includes('change')) return [auditEntry(named, 'user_modified')];
  const isSignIn = token.kind === 'recovery' && token.is_email_confirmed;
  return [isSignIn ? auditEntry(named, 'login') : auditEntry(named, 'user_signedup', { provider: channel })];
}

/** `email` stands for whatever the token was (delivery.md 1.1). */
function resolvedType(type: string, token: FoundToken): string {
  if (type !== 'email') return type;
  return token.kind === 'recovery' ? 'magiclink' : 'signup';
}
