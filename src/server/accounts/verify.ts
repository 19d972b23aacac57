/** Redeems codes and links: POST /verify and GET /verify (service.md; delivery.md 1). */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import type { FoundToken } from '../../db/one-time-tokens.js';
import { confirmEmailChangeSide, type Redemption } from '../../db/redemptions.js';
import type { Channel, SignedInRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from './audit.js';
import { hashAuthCode, PKCE_PREFIX } from './one-time.js';
import { applyRedemption, type Terms } from './redeem.js';
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

async function redeem(app: App, client: Client, token: FoundToken, terms: Terms): Promise<Verified> {
  if (isFirstSide(app, token)) {
    const isDone = await withLockedUser(app.db, token.user_id!, (statements) =>
      confirmEmailChangeSide(statements, token),
    );
    if (!isDone) throw refuse(terms.refusal);
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
