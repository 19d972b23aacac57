/** Registers a passkey (docs/passkeys.md): options, then the response of the authenticator. */
import { randomUUID } from 'node:crypto';
import { insertMails } from '../../db/outbox.js';
import { addPasskey, listPasskeys, useChallenge } from '../../db/passkeys.js';
import { assertNotAnonymous, changeAccess, requireSession } from '../accounts/access-change.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import { assertAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { creationOptions, credentialUser } from '../webauthn/ceremony-options.js';
import { relyingPartyOf } from '../webauthn/relying-party.js';
import { readRegistration } from '../webauthn/responses.js';
import { issueChallenge } from '../webauthn/stateless-challenge.js';
import { verifyNewCredential } from '../webauthn/verification.js';
import { nameOfModel } from './names.js';
import { readChallenge, refuse, type VerifyRequest, viewPasskey } from './passkey-rules.js';
import { passkeyVerification } from './passkey-sign-in.js';

const CEREMONY = 'passkey_registration';

/**
 * Asserts that the caller may register passkeys. The endpoints ask before they read their bodies.
 * @throws ApiError sessionNotFound, anonymousNotAllowed, ssoPasskeys, aalForPasskeys
 */
export async function assertMayRegister(app: App, caller: UserCaller): Promise<void> {
  requireSession(caller);
  assertNotAnonymous(caller);
  if (caller.user.is_sso_user) throw apiError('ssoPasskeys');
  await assertAssurance(app, caller, 'aalForPasskeys');
}

/**
 * The answer of POST /passkeys/registration/options.
 * @throws ApiError tooManyPasskeys
 */
export async function beginRegistration(app: App, caller: UserCaller) {
  const { config, db } = app;
  const owner = requireSession(caller);
  const held = await listPasskeys(db, caller.user.id);
  if (held.length >= config.passkeyMaxPasskeysPerUser) throw apiError('tooManyPasskeys');
  const { id, challenge, expiresAt } = issueChallenge(
    config,
    { ceremony: CEREMONY, owner },
    config.webauthnChallengeExpirySeconds,
  );
  const options = creationOptions(relyingPartyOf(config), {
    challenge,
    user: credentialUser(caller.user),
    exclude: held.map((passkey) => ({ type: 'public-key', id: passkey.credential_id.toString('base64url') })),
    selection: { residentKey: 'required', userVerification: passkeyVerification(config) },
    attestation: config.webauthnAttestation,
  });
  return { challenge_id: id, options, expires_at: expiresAt };
}

/**
 * The answer of POST /passkeys/registration/verify. The challenge is used up whatever follows.
 * @throws ApiError those of readChallenge, webauthnResponseUnreadable, webauthnResponseFalse, tooManyPasskeys,
 *   webauthnCredentialExists
 */
export async function finishRegistration(app: App, client: Client, caller: UserCaller, request: VerifyRequest) {
  const { config, db } = app;
  const owner = requireSession(caller);
  const challenge = readChallenge(app, { ceremony: CEREMONY, owner }, request);
  if (!(await useChallenge(db, challenge))) throw apiError('webauthnChallengeNotFound');
  const response = readRegistration(request.credential);
  if (response === null) throw apiError('webauthnResponseUnreadable');
  const verified = await verifyNewCredential(app, response, challenge.challenge);
  if (verified.refusal !== undefined) throw refuse(app, client.requestId, verified);

  const { user } = caller;
  const passkey = { ...verified, id: randomUUID(), userId: user.id, friendlyName: nameOfModel(verified.aaguid) };
  const audit = [auditEntry(user, 'passkey_created', { passkey_id: passkey.id })];
  const notices = await prepareNotices(app, client, [{ kind: 'passkey_added_notification', to: recipientOf(user) }]);
  const added = await changeAccess(app, caller, 'aalForPasskeys', async (statements) => {
    const row = await addPasskey(statements, passkey, config.passkeyMaxPasskeysPerUser, storedAudit(app, audit));
    if (row === 'full') throw apiError('tooManyPasskeys');
    if (row === 'taken') throw apiError('webauthnCredentialExists');
    await insertMails(statements, user.id, notices);
    return row;
  });
  logAudit(app, client.requestId, audit);
  if (notices.length > 0) app.mail.nudge();
  return viewPasskey(added);
}
