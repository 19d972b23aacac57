import { deleteToken, storePendingSignUp } from '../../db/one-time-tokens.js';
import { pendingKind } from '../codes/one-time.js';
import { fabricateUser } from './fabricated-user.js';
import { prepareCodes, type SignUpAnswer, type SignUpAttempt } from './sign-up-attempt.js';

/**
 * An account of another audience has the address, unproven. The proof moves the account to this audience, stripped
 * (first-proof.ts); so the password of this sign-up is not stored.
 */
export async function requestProof(attempt: SignUpAttempt): Promise<SignUpAnswer> {
  const { app, channel, address, request } = attempt;
  const { audience, data } = request;
  const contact = { email: channel === 'email' ? address : null, phone: channel === 'phone' ? address : null };
  const appMetadata = { provider: channel, providers: [channel] };
  const planned = { audience, ...contact, appMetadata, userMetadata: data };
  const confirmation = await prepareCodes(attempt, data, planned, 'sign_up');
  const { tokens, mails, flow } = confirmation.stored;
  const kind = pendingKind(app, audience);
  await storePendingSignUp(app.db, kind, tokens[0]!, { audience, data }, mails, flow);
  confirmation.send((token) => deleteToken(app.db, null, { ...token, kind }));
  return fabricateUser(channel, address, audience, data);
}
