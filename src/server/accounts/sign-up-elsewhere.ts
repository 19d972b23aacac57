import { issuePending, withdrawToken } from '../../db/one-time-tokens.js';
import { fabricateUser } from './fabricated-user.js';
import { pendingKind } from './one-time.js';
import { type Attempt, prepareCodes, type SignUpAnswer } from './sign-up-attempt.js';

/**
 * An account of another audience has the address, and nobody has proven it: its owner may be this one. Who answers gets
 * the account, for this audience, without what was put on it (first-proof.ts); so there is no password to keep.
 */
export async function askForProof(attempt: Attempt): Promise<SignUpAnswer> {
  const { app, channel, address, request } = attempt;
  const { audience, data } = request;
  const confirmation = await prepareCodes(attempt, data, 'sign_up');
  const { tokens, mails, flow } = confirmation.stored;
  const kind = pendingKind(app, audience);
  await issuePending(app.db, kind, tokens[0]!, { audience, data }, mails, flow);
  confirmation.send((token) => withdrawToken(app.db, null, { ...token, kind }));
  return fabricateUser(channel, address, audience, data);
}
