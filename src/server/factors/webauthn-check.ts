import { appendAudit } from '../../db/audit.js';
import { spendChallenge, type TriedChallenge } from '../../db/factors.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { namesAnotherOwner, readAssertion, readRegistration } from '../webauthn/responses.js';
import { type Refused, verifyCredentialUse, verifyNewCredential } from '../webauthn/verification.js';
import type { FactorAnswer, RightAnswer } from './contract.js';
import type { FactorCaller, OwnFactor } from './own-factor.js';
import { type FactorCredential, readCredential, storeCredential, updateCredential } from './webauthn-credential.js';

const WRONG: Refused = { refusal: 'rejected', detail: 'it is not a response of this factor to its challenge' };

/**
 * Asserts that the answer can be one of a browser, before a try is taken.
 * @throws ApiError webauthnConfigRequired, webauthnTypeInvalid, webauthnResponseRequired
 */
export function assertWebauthnAnswer({ webauthn }: FactorAnswer): void {
  if (webauthn === undefined) throw apiError('webauthnConfigRequired');
  const { type, credential_response: response } = webauthn;
  if (type !== 'create' && type !== 'request') throw apiError('webauthnTypeInvalid');
  if (response === undefined || response === null) throw apiError('webauthnResponseRequired');
}

/**
 * Checks the response of an authenticator. One that cannot be read leaves the challenge as it is, a false one uses it up.
 * @throws ApiError factorResponseUnreadable, factorResponseFalse
 */
export async function checkWebauthnAnswer(
  app: App,
  client: Client,
  caller: FactorCaller,
  factor: OwnFactor,
  tried: TriedChallenge,
  { challengeId, webauthn }: FactorAnswer,
): Promise<RightAnswer> {
  const stored = readCredential(tried.credential);
  const checked = await checkResponse(app, webauthn!, tried.challenge ?? '', stored, caller.user.id);
  if ('credential' in checked) {
    if (checked.isCloneSuspected) await reportClone(app, client, caller, factor);
    return { credential: checked.credential };
  }
  const { refusal, detail } = checked;
  const fields = { component: 'factors', request_id: client.requestId, factor_id: factor.id, refusal, reason: detail };
  app.log.info(fields, 'The response of an authenticator was refused');
  if (refusal === 'unreadable') throw apiError('factorResponseUnreadable');
  if (refusal === 'counter') await reportClone(app, client, caller, factor);
  await spendChallenge(app.db, challengeId);
  throw apiError('factorResponseFalse');
}

interface Checked {
  readonly credential: FactorCredential;
  readonly isCloneSuspected: boolean;
}

/** The kind of response that the challenge asked for: a credential if the factor has none yet, else a use of its own. */
async function checkResponse(
  app: App,
  { type, credential_response }: NonNullable<FactorAnswer['webauthn']>,
  challenge: string,
  stored: FactorCredential | null,
  ownerId: string,
): Promise<Checked | Refused> {
  if (type !== (stored === null ? 'create' : 'request')) return WRONG;
  const unreadable: Refused = { refusal: 'unreadable', detail: 'a member is missing or malformed' };
  if (stored === null) {
    const response = readRegistration(credential_response);
    if (response === null) return unreadable;
    const made = await verifyNewCredential(app, response, challenge);
    return made.refusal === undefined ? { credential: storeCredential(made), isCloneSuspected: false } : made;
  }
  const response = readAssertion(credential_response);
  if (response === null) return unreadable;
  if (response.credentialId !== stored.id || namesAnotherOwner(response, ownerId)) return WRONG;
  const known = {
    publicKey: stored.public_key,
    signCount: stored.sign_count,
    backupEligible: stored.backup_eligible,
  };
  const used = await verifyCredentialUse(app, known, response, challenge);
  if (used.refusal !== undefined) return used;
  return { credential: updateCredential(stored, used), isCloneSuspected: used.isCloneSuspected };
}

/** The entry stays although the request may fail. */
async function reportClone(app: App, client: Client, { user }: FactorCaller, { id }: OwnFactor): Promise<void> {
  const audit = [auditEntry(user, 'credential_clone_suspected', { factor_id: id })];
  const stored = storedAudit(app, audit);
  if (stored.length > 0) await appendAudit(app.db, stored);
  const fields = { component: 'factors', request_id: client.requestId, user_id: user.id, factor_id: id };
  app.log.warn(fields, 'The signature counter of a second factor did not rise: it may have been cloned');
  logAudit(app, client.requestId, audit);
}
