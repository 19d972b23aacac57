/** Signs in with a passkey (docs/passkeys.md): options for anybody, which store nothing, then the assertion. */
import { appendAudit } from '../../db/audit.js';
import { beginPasskeySignIn, type SignInPasskey, signInWithPasskeyRow } from '../../db/passkeys.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { requestOptions, type UserVerification } from '../webauthn/ceremony-options.js';
import { relyingPartyOf } from '../webauthn/relying-party.js';
import { namesAnotherOwner, readAssertion } from '../webauthn/responses.js';
import { issueChallenge } from '../webauthn/stateless-challenge.js';
import { type UsedCredential, verifyCredentialUse } from '../webauthn/verification.js';
import { readChallenge, refuse, type VerifyRequest } from './passkey-rules.js';

const PURPOSE = { ceremony: 'passkey_authentication', owner: '' } as const;

/** A passkey that counts as two factors must have verified its user. */
export const passkeyVerification = (config: Config): UserVerification =>
  config.passkeyAal2WithUserVerification ? 'required' : config.webauthnUserVerification;

/**
 * The answer of POST /passkeys/authentication/options.
 * @param isConditional the page offers passkeys as autofill and may stay open
 */
export function beginSignIn({ config }: Pick<App, 'config'>, isConditional: boolean) {
  const lifetimeSeconds = isConditional
    ? config.webauthnConditionalChallengeExpirySeconds
    : config.webauthnChallengeExpirySeconds;
  const { id, challenge, expiresAt } = issueChallenge(config, PURPOSE, lifetimeSeconds);
  const userVerification = passkeyVerification(config);
  const options = requestOptions(relyingPartyOf(config), { challenge, allow: [], userVerification });
  return { challenge_id: id, options, expires_at: expiresAt };
}

/**
 * POST /passkeys/authentication/verify. The challenge is used up whatever follows. The state of the account shows only
 * after a true assertion.
 * @throws ApiError those of readChallenge, webauthnResponseUnreadable, webauthnResponseFalse, passkeyEmailNotConfirmed,
 *   passkeyPhoneNotConfirmed, userBanned
 */
export async function finishSignIn(app: App, client: Client, request: VerifyRequest): Promise<TokenResponse> {
  const challenge = readChallenge(app, PURPOSE, request);
  const response = readAssertion(request.credential);
  const passkey = await beginPasskeySignIn(app.db, challenge, response?.credentialId ?? null);
  if (passkey === undefined) throw apiError('webauthnChallengeNotFound');
  if (response === null) throw apiError('webauthnResponseUnreadable');
  if (passkey === null || namesAnotherOwner(response, passkey.user_id)) {
    throw refuse(app, client.requestId, { refusal: 'rejected', detail: 'no passkey has this credential and user' });
  }
  const stored = {
    publicKey: passkey.public_key.toString('base64url'),
    signCount: passkey.sign_count,
    backupEligible: passkey.backup_eligible,
  };
  const verified = await verifyCredentialUse(app, stored, response, challenge.challenge);
  if (verified.refusal === 'counter') await reportClone(app, client, passkey);
  if (verified.refusal !== undefined) throw refuse(app, client.requestId, verified);
  if (passkey.is_email_unconfirmed) throw apiError('passkeyEmailNotConfirmed');
  if (passkey.is_phone_unconfirmed) throw apiError('passkeyPhoneNotConfirmed');
  if (passkey.is_banned) throw apiError('userBanned');
  return openPasskeySession(app, client, passkey, verified);
}

async function openPasskeySession(
  app: App,
  client: Client,
  passkey: SignInPasskey,
  { signCount, backedUp, userVerified, isCloneSuspected }: UsedCredential,
): Promise<TokenResponse> {
  const audit: readonly AuditEntry[] = [
    ...(isCloneSuspected ? [cloneEntry(passkey)] : []),
    auditEntry(actorOf(passkey), 'login', { passkey_id: passkey.id }),
  ];
  const opened = await signInWithClaims(app, client, (db) =>
    signInWithPasskeyRow(db, {
      passkeyId: passkey.id,
      userId: passkey.user_id,
      signCount,
      backedUp,
      anyCounter: app.config.webauthnCounterPolicy === 'warn',
      aal: app.config.passkeyAal2WithUserVerification && userVerified ? 'aal2' : 'aal1',
      userAgent: client.userAgent,
      ip: client.ip,
      audit: storedAudit(app, audit),
    }),
  );
  if (opened === undefined) {
    const detail = 'the account or the passkey has changed since it was read, or another use came first';
    throw refuse(app, client.requestId, { refusal: 'rejected', detail });
  }
  if (isCloneSuspected) warnOfClone(app, client, passkey);
  logAudit(app, client.requestId, audit);
  return issueTokens(app, opened);
}

const actorOf = ({ user_id: id, email, phone, full_name: fullName }: SignInPasskey) => ({ id, email, phone, fullName });

const cloneEntry = (passkey: SignInPasskey): AuditEntry =>
  auditEntry(actorOf(passkey), 'credential_clone_suspected', { passkey_id: passkey.id });

/** The entry stays although the request fails. */
async function reportClone(app: App, client: Client, passkey: SignInPasskey): Promise<void> {
  const audit = [cloneEntry(passkey)];
  const stored = storedAudit(app, audit);
  if (stored.length > 0) await appendAudit(app.db, stored);
  warnOfClone(app, client, passkey);
  logAudit(app, client.requestId, audit);
}

function warnOfClone({ log }: App, client: Client, { id, user_id }: SignInPasskey): void {
  const fields = { component: 'passkeys', request_id: client.requestId, user_id, passkey_id: id };
  log.warn(fields, 'The signature counter of a passkey did not rise: it may have been cloned');
}
