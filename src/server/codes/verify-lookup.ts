/** Finds the one-time token of a redemption and checks it; writes only the count of wrong attempts. */
import { type FoundToken, findTokenByLink, storeTokens, tryCode } from '../../db/one-time-tokens.js';
import type { Channel } from '../../db/user-rows.js';
import { findAddressHolder } from '../../db/users.js';
import { apiError } from '../errors.js';
import { type CodeKind, codesOfType, stampsOf } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import { hashCode, hashLink, pendingKind, preparePhoneCode } from './one-time.js';
import { validitySeconds } from './send-rules.js';

/** A code ends after ten wrong attempts (docs/decisions.md, Codes and links). */
export const MAX_WRONG_TRIES = 10;

export const channelOf = (token: FoundToken): Channel => (token.recipient.includes('@') ? 'email' : 'phone');

/**
 * Finds by the token of a link.
 * @throws ApiError verifyEmailType, linkInvalid, userBanned
 */
export async function findByLink(app: App, type: string, linkToken: string): Promise<FoundToken> {
  const kinds = codesOfType('email', type);
  if (kinds.length === 0) throw apiError('verifyEmailType');
  const token = await findTokenByLink(app.db, await hashLink(app, linkToken));
  const userId = token?.user_id;
  const refuse = (reason: string) => apiError('linkInvalid', {}, { about: { userId, reason } });
  if (token === undefined) throw refuse('code_unknown');
  if (!kinds.includes(token.kind as CodeKind)) throw refuse('code_of_other_type');
  if (token.is_banned) throw apiError('userBanned', {}, { about: { userId } });
  if (token.age_seconds > validitySeconds(app, 'email')) throw refuse('code_expired');
  return token;
}

/**
 * Finds by an address and its code.
 * @throws ApiError codeInvalid, userBanned
 */
export async function findByCode(
  app: App,
  type: string,
  contact: { channel: Channel; address: string },
  code: string,
  audience: string,
): Promise<FoundToken> {
  const kinds = codesOfType(contact.channel, type);
  if (kinds.length === 0) throw apiError('codeInvalid');
  if (contact.channel === 'phone' && app.sms.testCode(contact.address) === code) {
    await storeTestCode(app, type, contact.address, audience);
  }
  const candidates = await Promise.all(
    kinds.map(async (kind) => ({
      kind: kind === 'sign_up' ? pendingKind(app, audience) : kind,
      codeHash: await hashCode(app, kind, contact.address, code),
    })),
  );
  const found = await tryCode(app.db, contact.address, candidates, audience, MAX_WRONG_TRIES);
  const [token] = found.sort((a, b) => kinds.indexOf(a.kind as CodeKind) - kinds.indexOf(b.kind as CodeKind));
  const userId = token?.user_id;
  const refuse = (reason: string) => apiError('codeInvalid', {}, { about: { userId, reason } });
  if (token === undefined) throw refuse('code_unknown');
  if (token.is_banned) throw apiError('userBanned', {}, { about: { userId } });
  if (token.age_seconds > validitySeconds(app, contact.channel)) throw refuse('code_expired');
  return token;
}

/** Stores the fixed code of a test number, which is valid without being sent, any number of times. */
async function storeTestCode(app: App, type: string, phone: string, audience: string): Promise<void> {
  if (type !== 'sms') return;
  const holder = await findAddressHolder(app.db, 'phone', phone, audience);
  if (holder === undefined) return;
  const { token } = await preparePhoneCode(app, 'confirmation', phone, null, null);
  await storeTokens(app.db, {
    userId: holder.id,
    tokens: [token],
    stamps: stampsOf('confirmation'),
    mails: [],
    flow: null,
    audit: [],
  });
}
