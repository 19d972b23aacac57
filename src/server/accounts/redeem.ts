/** Applies a code or link that was found: proves its address, in one transaction, and signs in. */
import { randomBytes, randomUUID } from 'node:crypto';
import { lockHolder, withLockedUser } from '../../db/account-locks.js';
import type { FoundToken } from '../../db/one-time-tokens.js';
import {
  type NewAccount,
  type RedeemedRow,
  type Redemption,
  redeemChange,
  redeemConfirmation,
  redeemSignUp,
} from '../../db/redemptions.js';
import type { Statements } from '../../db/types.js';
import type { Channel } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { proveAddress, proveNewAddress } from './first-proof.js';
import { withFixed } from './metadata.js';
import { assertPasswordAcceptable } from './passwords.js';
import { channelOf } from './verify-lookup.js';

/** What a request that redeems brings along. */
export interface Terms {
  readonly type: string;
  /** Null: a navigation, which cannot bring one. */
  readonly password: string | null;
  readonly wantsAuthCode: boolean;
  /** What a token that was used up a moment ago is answered with. */
  readonly refusal: 'codeInvalid' | 'linkInvalid';
}

/** @throws Refusal of the terms, verifyPasswordRequired, weakPassword, emailExists, phoneExists */
export async function applyRedemption(app: App, redemption: Redemption, terms: Terms): Promise<RedeemedRow> {
  const { token } = redemption;
  const channel = channelOf(token);
  // Hashing takes longer than a connection may be held.
  const password = await newPassword(app, token, terms);
  const account = mayNeedAccount(token) ? await newAccount(app, token, channel) : undefined;
  /** Rolls back what the proof has done when the token was used, or the account banned, meanwhile. */
  const assertRedeemed = (row: RedeemedRow | undefined): RedeemedRow => {
    if (row === undefined) throw refuse(terms.refusal);
    return row;
  };
  const signUp = async (statements: Statements) => {
    if (account === undefined) throw refuse(terms.refusal);
    return assertRedeemed(await redeemSignUp(statements, redemption, account));
  };
  const audience = token.sign_up?.audience ?? null;
  const proof = { tokenId: token.id, flowId: token.flow_state_id, audience, identity: null };

  try {
    if (token.user_id === null) {
      return await app.db.transaction(async (statements) => {
        const holder = await lockHolder(statements, channel, token.recipient);
        if (holder !== undefined) {
          await proveAddress(statements, holder, channel, { ...proof, isOwnConfirmation: false });
        }
        return signUp(statements);
      });
    }
    const userId = token.user_id;
    return await withLockedUser(app.db, userId, async (statements) => {
      if (token.kind.includes('change')) {
        await proveNewAddress(statements, userId, channel, proof);
        return assertRedeemed(await redeemChange(statements, redemption, channel));
      }
      const isOwnConfirmation = token.kind === 'confirmation';
      const effect = await proveAddress(statements, userId, channel, { ...proof, isOwnConfirmation });
      if (effect === 'released') return signUp(statements);
      return assertRedeemed(await redeemConfirmation(statements, redemption, channel, password));
    });
  } catch (error) {
    // Another account took the address while its confirmation was on the way.
    if ((error as { code?: string }).code !== '23505') throw error;
    throw refuse(channel === 'email' ? 'emailExists' : 'phoneExists');
  }
}

/** A pending sign-up makes an account; so does the proof of an address that an account is about to give up. */
const mayNeedAccount = (token: FoundToken): boolean => token.user_id === null || token.is_of_other_channel;

/**
 * An account without password must bring one with `signup`, and may with `invite`; that of an invitation is stored in
 * any case. Where the proof takes the password off the account, one may come along.
 * @throws Refusal verifyPasswordRequired, weakPassword, passwordTooLong
 */
async function newPassword(app: App, token: FoundToken, { type, password }: Terms) {
  if (token.kind !== 'confirmation' || !['signup', 'invite'].includes(type) || password === null) return null;
  const isFought = token.is_contested || token.is_invited;
  if (password === '') {
    const isMissing = token.lacks_password && (token.is_invited || !token.is_contested);
    if (isMissing && type === 'signup' && channelOf(token) === 'email') throw refuse('verifyPasswordRequired');
    return null;
  }
  const mayLackOne = token.lacks_password || (isFought && !token.has_operator_password);
  if (!mayLackOne && type !== 'invite') return null;
  assertPasswordAcceptable(password, app.config);
  return { hash: await app.crypto.hashPassword(password), replaces: type === 'invite' };
}

/** An account with a password nobody knows; that of a person who came from a provider has that identity. */
async function newAccount(app: App, token: FoundToken, channel: Channel): Promise<NewAccount> {
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
