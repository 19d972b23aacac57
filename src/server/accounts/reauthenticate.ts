import { isForeignKeyViolation } from '../../db/errors.js';
import { type FoundToken, issueTokens, spendToken, tryCode, withdrawToken } from '../../db/one-time-tokens.js';
import type { Statements } from '../../db/types.js';
import type { Channel } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { assertSessionWasAlive } from './access-change.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import type { UserCaller } from './caller.js';
import { hashCode, prepareMails, preparePhoneCode } from './one-time.js';
import { assertMayMail, assertMayText, textCode, validitySeconds } from './send-rules.js';
import { MAX_WRONG_TRIES } from './verify-lookup.js';

/**
 * GET /reauthenticate (service.md; delivery.md 3.1): a code to the account's email, or else its phone, good for the
 * session that asks and for nothing else (SEC-57).
 * @returns the gateway's message id where a text was sent
 * @throws Refusal sessionNotFound: a code could not be bound to a session that has ended, whose token lives on
 */
export async function sendNonce(app: App, client: Client, caller: UserCaller): Promise<{ message_id?: string }> {
  const { user, sessionId } = caller;
  assertSessionWasAlive(caller);
  const { channel, address } = contactOf(caller);
  const audit = [auditEntry(user, 'user_reauthenticate_requested')];
  const issue = { userId: user.id, stamp: 'reauthentication', audit: storedAudit(app, audit) } as const;

  if (channel === 'email') {
    await assertMayMail(app, 'reauthentication', address);
    const prepared = await prepareMails(
      app,
      { email: address, data: user.user_metadata, sessionId },
      [{ kind: 'reauthentication', to: address, mailKind: 'reauthentication', linkType: null }],
      null,
      app.config.siteUrl,
    );
    await issueNonce(app, { ...issue, ...prepared });
    logAudit(app, client.requestId, audit);
    app.mail.nudge();
    return {};
  }
  await assertMayText(app, address, 'reauthentication');
  const { code, token } = await preparePhoneCode(app, 'reauthentication', address, sessionId);
  await issueNonce(app, { ...issue, tokens: [token], mails: [], flow: null });
  logAudit(app, client.requestId, audit);
  const message = { purpose: 'reauthentication', phone: address, channel: 'sms', code } as const;
  const takeBack = () => withdrawToken(app.db, user.id, token);
  return { message_id: await textCode(app, message, takeBack) };
}

/** The session may end while the code is being made. */
async function issueNonce(app: App, issue: Parameters<typeof issueTokens>[1]): Promise<void> {
  try {
    await issueTokens(app.db, issue);
  } catch (error) {
    throw isForeignKeyViolation(error, 'one_time_tokens_session_id_fkey') ? refuse('sessionNotFound') : error;
  }
}

/**
 * Checks a nonce, and counts a wrong one. A right one is not used up: that is for the transaction of the change it
 * allows, so that a change that is refused leaves it as it was.
 * @returns the token to spend
 * @throws Refusal reauthenticationNeeded, reauthenticationNotValid
 */
export async function checkNonce(app: App, caller: UserCaller, nonce: string | null): Promise<FoundToken> {
  if (!nonce) throw refuse('reauthenticationNeeded');
  const { channel, address } = contactOf(caller);
  const candidate = { kind: 'reauthentication', codeHash: await hashCode(app, 'reauthentication', address, nonce) };
  const [token] = await tryCode(app.db, address, [candidate], caller.user.aud, MAX_WRONG_TRIES);
  const isGood =
    token !== undefined &&
    token.user_id === caller.user.id &&
    (token.session_id ?? null) === caller.sessionId &&
    token.age_seconds <= validitySeconds(app, channel);
  if (!isGood) throw refuse('reauthenticationNotValid');
  return token;
}

/** Uses a checked nonce up. @throws Refusal reauthenticationNotValid: another request has used it meanwhile */
export async function spendNonce(statements: Statements, nonce: FoundToken): Promise<void> {
  if (!(await spendToken(statements, nonce))) throw refuse('reauthenticationNotValid');
}

/** @throws Refusal reauthenticationContact, reauthenticationEmail, reauthenticationPhone */
function contactOf({ user }: UserCaller): { channel: Channel; address: string } {
  if (user.email) {
    if (user.email_confirmed_at === null) throw refuse('reauthenticationEmail');
    return { channel: 'email', address: user.email };
  }
  if (!user.phone) throw refuse('reauthenticationContact');
  if (user.phone_confirmed_at === null) throw refuse('reauthenticationPhone');
  return { channel: 'phone', address: user.phone };
}
