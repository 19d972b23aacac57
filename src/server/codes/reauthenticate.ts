import { isForeignKeyViolation } from '../../db/errors.js';
import { consumeToken, deleteToken, type FoundToken, storeTokens, tryCode } from '../../db/one-time-tokens.js';
import type { Statements } from '../../db/types.js';
import type { Channel } from '../../db/user-rows.js';
import { assertSessionWasAlive } from '../accounts/access-change.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { hashCode, prepareMails, preparePhoneCode } from './one-time.js';
import { assertMayMail, assertMayText, textCode, validitySeconds } from './send-rules.js';
import { MAX_WRONG_TRIES } from './verify-lookup.js';

/**
 * GET /reauthenticate (docs/decisions.md, Reauthentication). Sends a code to the account's email, or else its phone,
 * that is valid only in the caller's session (SEC-57).
 * @returns the gateway's message id of an SMS
 * @throws ApiError sessionNotFound: the code cannot be bound to a session that has ended
 */
export async function sendNonce(app: App, client: Client, caller: UserCaller): Promise<{ message_id?: string }> {
  const { user, sessionId } = caller;
  assertSessionWasAlive(caller);
  const { channel, address } = confirmedContact(caller);
  const audit = [auditEntry(user, 'user_reauthenticate_requested')];
  const issue = { userId: user.id, stamps: stampsOf('reauthentication'), audit: storedAudit(app, audit) };

  if (channel === 'email') {
    await assertMayMail(app, 'reauthentication', address);
    const prepared = await prepareMails(
      app,
      { email: address, data: user.user_metadata, sessionId, account: user.id, ip: client.ip },
      [{ mail: 'reauthentication', to: address }],
      null,
      app.config.siteUrl,
    );
    await issueNonce(app, { ...issue, ...prepared });
    logAudit(app, client.requestId, audit);
    app.mail.nudge();
    return {};
  }
  await assertMayText(app, address, 'reauthentication');
  const { code, token, queued } = await preparePhoneCode(
    app,
    'reauthentication',
    address,
    user.id,
    client.ip,
    sessionId,
  );
  await issueNonce(app, { ...issue, tokens: [token], mails: queued, flow: null });
  logAudit(app, client.requestId, audit);
  const message = { purpose: 'reauthentication', phone: address, channel: 'sms', code, queued } as const;
  const takeBack = () => deleteToken(app.db, user.id, token);
  return { message_id: await textCode(app, message, takeBack) };
}

/** @throws ApiError sessionNotFound: the session ended meanwhile */
async function issueNonce(app: App, issue: Parameters<typeof storeTokens>[1]): Promise<void> {
  try {
    await storeTokens(app.db, issue);
  } catch (error) {
    throw isForeignKeyViolation(error, 'one_time_tokens_session_id_fkey') ? apiError('sessionNotFound') : error;
  }
}

/**
 * Checks a nonce, and counts a wrong one. The transaction of the change consumes it; a rejected change does not.
 * @returns the token to consume
 * @throws ApiError reauthenticationNeeded, reauthenticationNotValid
 */
export async function checkNonce(app: App, caller: UserCaller, nonce: string | null): Promise<FoundToken> {
  if (!nonce) throw apiError('reauthenticationNeeded');
  const { channel, address } = confirmedContact(caller);
  const candidate = { kind: 'reauthentication', codeHash: await hashCode(app, 'reauthentication', address, nonce) };
  const [token] = await tryCode(app.db, address, [candidate], caller.user.aud, MAX_WRONG_TRIES);
  const isValid =
    token !== undefined &&
    token.user_id === caller.user.id &&
    (token.session_id ?? null) === caller.sessionId &&
    token.age_seconds <= validitySeconds(app, channel);
  if (!isValid) throw apiError('reauthenticationNotValid');
  return token;
}

/** Consumes a checked nonce. @throws ApiError reauthenticationNotValid: a concurrent request consumed it */
export async function consumeNonce(statements: Statements, nonce: FoundToken): Promise<void> {
  if (!(await consumeToken(statements, nonce))) throw apiError('reauthenticationNotValid');
}

/** @throws ApiError reauthenticationContact, reauthenticationEmail, reauthenticationPhone */
function confirmedContact({ user }: UserCaller): { channel: Channel; address: string } {
  if (user.email) {
    if (user.email_confirmed_at === null) throw apiError('reauthenticationEmail');
    return { channel: 'email', address: user.email };
  }
  if (!user.phone) throw apiError('reauthenticationContact');
  if (user.phone_confirmed_at === null) throw apiError('reauthenticationPhone');
  return { channel: 'phone', address: user.phone };
}
