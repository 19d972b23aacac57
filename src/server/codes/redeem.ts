/** Redeems a one-time token: proves its address and signs in, in one transaction. */
import { randomBytes, randomUUID } from 'node:crypto';
import { lockUserByContact, withLockedUser } from '../../db/account-locks.js';
import { isUniqueViolation } from '../../db/errors.js';
import { offerUndo, type UndoInput } from '../../db/notices.js';
import type { FoundToken } from '../../db/one-time-tokens.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import {
  type RedeemedRow,
  type Redemption,
  redeemChange,
  redeemConfirmation,
  redeemSignUp,
  type SignUpAccount,
} from '../../db/redemptions.js';
import type { Database, Statements } from '../../db/types.js';
import type { Channel } from '../../db/user-rows.js';
import { type ProofReport, proveAddress, proveNewAddress } from '../accounts/first-proof.js';
import { withFixed } from '../accounts/metadata.js';
import { assertPasswordAcceptable } from '../accounts/passwords.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { channelOf } from './verify-lookup.js';

/** Parameters of a redemption. */
export interface RedemptionTerms {
  readonly type: string;
  /** Null: a navigation, which has none. */
  readonly password: string | null;
  readonly wantsAuthCode: boolean;
  /** Error for a token that a concurrent request consumed. */
  readonly errorName: 'codeInvalid' | 'linkInvalid';
  /** Stored with the redemption. */
  readonly notices: readonly MailInput[];
  /** Of a new address: the link in its notice. */
  readonly undo: UndoInput | null;
  /** Of what a first proof removes; null: the address is proven already, or is a new one. */
  readonly report: ProofReport | null;
}

/**
 * Prepares a redemption; passwords are hashed here, since the write holds a connection.
 * @returns the write, which throws ApiError of the terms, emailExists or phoneExists
 * @throws ApiError verifyPasswordRequired, weakPassword
 */
export async function prepareRedemption(
  app: App,
  redemption: Redemption,
  terms: RedemptionTerms,
): Promise<(db: Database) => Promise<RedeemedRow>> {
  const { token } = redemption;
  const channel = channelOf(token);
  const password = await readNewPassword(app, token, terms);
  const account = mayNeedAccount(token) ? await buildAccount(app, token, channel) : undefined;
  /** Rolls back the proof when the token was consumed or the account banned meanwhile. */
  const complete = async (statements: Statements, row: RedeemedRow | undefined): Promise<RedeemedRow> => {
    if (row === undefined) throw apiError(terms.errorName);
    await insertMails(statements, row.id, terms.notices);
    if (terms.undo !== null) await offerUndo(statements, row.id, terms.undo);
    return row;
  };
  const signUp = async (statements: Statements) => {
    if (account === undefined) throw apiError(terms.errorName);
    return complete(statements, await redeemSignUp(statements, redemption, account));
  };
  const audience = token.sign_up?.audience ?? null;
  const proof = { tokenId: token.id, flowId: token.flow_state_id, audience, identity: null };

  return async (db) => {
    try {
      if (token.user_id === null) {
        return await db.transaction(async (statements) => {
          const holder = await lockUserByContact(statements, channel, token.recipient);
          if (holder !== undefined) {
            await proveAddress(statements, holder, channel, { ...proof, isOwnConfirmation: false }, terms.report);
          }
          return signUp(statements);
        });
      }
      const userId = token.user_id;
      return await withLockedUser(db, userId, async (statements) => {
        if (token.kind.includes('change')) {
          await proveNewAddress(statements, userId, channel, proof);
          return complete(statements, await redeemChange(statements, redemption, channel));
        }
        const isOwnConfirmation = token.kind === 'confirmation';
        const effect = await proveAddress(statements, userId, channel, { ...proof, isOwnConfirmation }, terms.report);
        if (effect === 'released') return signUp(statements);
        return complete(statements, await redeemConfirmation(statements, redemption, channel, password));
      });
    } catch (error) {
      // Another account got the address before its confirmation.
      if (!isUniqueViolation(error)) throw error;
      throw apiError(channel === 'email' ? 'emailExists' : 'phoneExists');
    }
  };
}

/** For a pending sign-up, and when the proof releases the address from its account. */
const mayNeedAccount = (token: FoundToken): boolean => token.user_id === null || token.is_of_other_channel;

/**
 * Reads the new password. Accounts without one need it with type `signup` and may have it with `invite`, whose password
 * is always stored. It is also accepted where the proof removes the password of the account.
 * @throws ApiError verifyPasswordRequired, weakPassword, passwordTooLong, leakCheckFailed
 */
async function readNewPassword(app: App, token: FoundToken, { type, password }: RedemptionTerms) {
  const isInvitation = type === 'invite';
  if (token.kind !== 'confirmation' || password === null || !(isInvitation || type === 'signup')) return null;
  if (password === '') {
    if (!isInvitation && demandsPassword(token)) throw apiError('verifyPasswordRequired');
    return null;
  }
  if (!isInvitation && !losesPassword(token)) return null;
  await assertPasswordAcceptable(app, password, {
    [channelOf(token)]: token.recipient,
    user_metadata: token.sign_up?.data ?? {},
  });
  return { hash: await app.crypto.hashPassword(password), replaces: isInvitation };
}

/** The account has no password, and none that the proof is about to remove. */
const demandsPassword = (token: FoundToken): boolean =>
  channelOf(token) === 'email' && token.lacks_password && (token.is_invited || !token.is_contested);

/** The account has no password after the proof, unless it gets a new one. */
const losesPassword = (token: FoundToken): boolean =>
  token.lacks_password || ((token.is_contested || token.is_invited) && !token.has_operator_password);

/** Builds an account with a random password; after a sign-in at a provider with that identity. */
export async function buildAccount(
  app: App,
  token: Pick<FoundToken, 'recipient' | 'sign_up' | 'audience'>,
  channel: Channel,
): Promise<SignUpAccount> {
  const userId = randomUUID();
  const { recipient, sign_up } = token;
  const { identity } = sign_up ?? {};
  const proof = { email_verified: channel === 'email', phone_verified: channel === 'phone' };
  const contact = channel === 'email' ? { email: recipient } : {};
  const own = identity === undefined ? { sub: userId } : {};
  const identityData = withFixed(sign_up?.data ?? {}, { ...own, ...contact, ...proof });
  return {
    userId,
    channel,
    role: app.config.jwtDefaultGroupName.trim(),
    passwordHash: await app.crypto.hashPassword(randomBytes(32).toString('base64url')),
    identityData: channel === 'phone' ? withFixed(identityData, { phone: recipient }) : identityData,
    userMetadata: identityData,
    provider: identity?.provider ?? channel,
    subject: identity?.subject ?? null,
    audience: sign_up?.audience ?? token.audience ?? app.config.jwtAudience,
  };
}
