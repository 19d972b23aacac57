/** Finds the token a redemption speaks of, and says whether it may be redeemed. Changes nothing but the count of tries. */
import { type FoundToken, findTokenByLink, issueTokens, tryCode } from '../../db/one-time-tokens.js';
import { type Channel, findAddressHolder } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { hashCode, hashLink, type OneTimeKind, pendingKind, preparePhoneCode } from './one-time.js';
import { validitySeconds } from './send-rules.js';

/** One code, ten wrong tries, then it is dead (decisions.md 16). */
export const MAX_WRONG_TRIES = 10;

/** `type` of a mail → the tokens it may redeem, in order of preference (delivery.md 1.1). */
const mailKinds: Readonly<Record<string, readonly OneTimeKind[]>> = {
  signup: ['confirmation', 'sign_up'],
  invite: ['confirmation', 'sign_up'],
  recovery: ['recovery'],
  magiclink: ['recovery'],
  email: ['confirmation', 'sign_up', 'recovery'],
  email_change: ['email_change_current', 'email_change_new'],
};

const phoneKinds: Readonly<Record<string, readonly OneTimeKind[]>> = {
  sms: ['confirmation', 'sign_up'],
  phone_change: ['phone_change'],
};

const lookUp = (kinds: Readonly<Record<string, readonly OneTimeKind[]>>, type: string) =>
  Object.hasOwn(kinds, type) ? kinds[type]! : [];

export const channelOf = (token: FoundToken): Channel => (token.recipient.includes('@') ? 'email' : 'phone');

/**
 * By the token of a link (delivery.md 1.4).
 * @throws Refusal verifyEmailType, linkInvalid, userBanned
 */
export async function findByLink(app: App, type: string, linkToken: string): Promise<FoundToken> {
  const kinds = lookUp(mailKinds, type);
  if (kinds.length === 0) throw refuse('verifyEmailType');
  const token = await findTokenByLink(app.db, await hashLink(app, linkToken));
  if (token === undefined || !kinds.includes(token.kind as OneTimeKind)) throw refuse('linkInvalid');
  if (token.is_banned) throw refuse('userBanned');
  if (token.age_seconds > validitySeconds(app, 'email')) throw refuse('linkInvalid');
  return token;
}

/**
 * By an address and the code sent to it (delivery.md 1.5).
 * @throws Refusal codeInvalid, userBanned
 */
export async function findByCode(
  app: App,
  type: string,
  contact: { channel: Channel; address: string },
  code: string,
  audience: string,
): Promise<FoundToken> {
  const kinds = lookUp(contact.channel === 'email' ? mailKinds : phoneKinds, type);
  if (kinds.length === 0) throw refuse('codeInvalid');
  if (contact.channel === 'phone' && app.sms.testCode(contact.address) === code) {
    await makeTestCodeGood(app, type, contact.address, audience);
  }
  const candidates = await Promise.all(
    kinds.map(async (kind) => ({
      kind: kind === 'sign_up' ? pendingKind(app, audience) : kind,
      codeHash: await hashCode(app, kind, contact.address, code),
    })),
  );
  const found = await tryCode(app.db, contact.address, candidates, audience, MAX_WRONG_TRIES);
  const [token] = found.sort((a, b) => kinds.indexOf(a.kind as OneTimeKind) - kinds.indexOf(b.kind as OneTimeKind));
  if (token === undefined) throw refuse('codeInvalid');
  if (token.is_banned) throw refuse('userBanned');
  if (token.age_seconds > validitySeconds(app, contact.channel)) throw refuse('codeInvalid');
  return token;
}

/** The code of a test number is good without having been sent, again and again (delivery.md 1.6). */
async function makeTestCodeGood(app: App, type: string, phone: string, audience: string): Promise<void> {
  if (type !== 'sms') return;
  const holder = await findAddressHolder(app.db, 'phone', phone, audience);
  if (holder === undefined) return;
  const { token } = await preparePhoneCode(app, 'confirmation', phone);
  await issueTokens(app.db, {
    userId: holder.id,
    tokens: [token],
    stamp: 'confirmation',
    mails: [],
    flow: null,
    audit: [],
  });
}
