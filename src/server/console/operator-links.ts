/** Links of operators: each sets up a passkey, or a password with an authenticator app, once. */
import {
  keepLinkSecret,
  type OperatorLinkRow,
  readOperatorLink,
  useLinkForPasskey,
  useLinkForPassword,
  useLinkToSignIn,
} from '../../db/operator-sessions.js';
import type { NewOperatorPasskey } from '../../db/operators.js';
import { useChallenge } from '../../db/passkeys.js';
import { logAudit } from '../accounts/audit.js';
import { assertPasswordAcceptable } from '../accounts/passwords.js';
import { apiError } from '../errors.js';
import { hashBrowserSecret, isBrowserSecret } from '../external/flow-state.js';
import { drawQrCode } from '../factors/qr.js';
import { buildTotpUri, createTotpSecret, matchTotp } from '../factors/totp.js';
import type { OperatorRole } from '../http/types.js';
import { nameOfModel } from '../passkeys/names.js';
import { readChallenge, refuse, type VerifyRequest } from '../passkeys/passkey-rules.js';
import type { App, Client } from '../runtime/app.js';
import { type CredentialDescriptor, creationOptions, userHandleOf } from '../webauthn/ceremony-options.js';
import { relyingPartyOf } from '../webauthn/relying-party.js';
import { readRegistration } from '../webauthn/responses.js';
import { issueChallenge } from '../webauthn/stateless-challenge.js';
import { verifyNewCredential } from '../webauthn/verification.js';
import { consoleHostOf, consoleParty, hasConsolePasskeys } from './console-address.js';
import type { OperatorIdentity } from './operator.js';
import { operatorEntry } from './operator-audit.js';
import { newSession, type OpenedSession } from './operator-sign-in.js';

const CHALLENGE_SECONDS = 300;
/** One step before and after: half a minute of clock error. */
const SKEW_STEPS = 1;

export interface OperatorLink extends OperatorLinkRow {
  readonly hash: string;
}

/** @throws ApiError operatorLinkUnknown */
export async function openLink(app: Pick<App, 'db'>, token: string): Promise<OperatorLink> {
  if (!isBrowserSecret(token)) throw apiError('operatorLinkUnknown');
  const hash = hashBrowserSecret(token);
  const link = await readOperatorLink(app.db, hash);
  if (link === undefined) throw apiError('operatorLinkUnknown');
  return { ...link, hash };
}

const identityOf = ({ id, name, role }: OperatorLinkRow): OperatorIdentity => ({
  id,
  name,
  role: role as OperatorRole,
});

/**
 * Options of a new passkey of an operator.
 * @param owner who may use the challenge: hash of a link, or id of a session
 * @throws ApiError operatorPasskeysOff
 */
export function beginOperatorRegistration(
  { config }: Pick<App, 'config'>,
  owner: string,
  { id, name }: OperatorIdentity,
  exclude: readonly CredentialDescriptor[],
) {
  if (!hasConsolePasskeys(config)) throw apiError('operatorPasskeysOff');
  const purpose = { ceremony: 'operator_registration', owner } as const;
  const issued = issueChallenge(config, purpose, CHALLENGE_SECONDS);
  const options = creationOptions(relyingPartyOf(consoleParty(config)), {
    challenge: issued.challenge,
    user: { id: userHandleOf(id), name, displayName: name },
    exclude,
    selection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  });
  return { challenge_id: issued.id, options, expires_at: issued.expiresAt };
}

/**
 * Verifies a new passkey. The challenge is used up whatever follows.
 * @throws ApiError webauthnResponseUnreadable, webauthnResponseFalse, and those of readChallenge
 */
export async function verifyOperatorRegistration(
  app: App,
  client: Client,
  owner: string,
  request: VerifyRequest,
): Promise<NewOperatorPasskey> {
  const challenge = readChallenge(app, { ceremony: 'operator_registration', owner }, request);
  if (!(await useChallenge(app.db, challenge))) throw apiError('webauthnChallengeNotFound');
  const response = readRegistration(request.credential);
  if (response === null) throw apiError('webauthnResponseUnreadable');
  const party = { config: consoleParty(app.config), crypto: app.crypto };
  const verified = await verifyNewCredential(party, response, challenge.challenge);
  if (verified.refusal !== undefined) throw refuse(app, client.requestId, verified);
  const { credentialId, publicKey, signCount, transports, backupEligible, aaguid } = verified;
  return { credentialId, publicKey, signCount, transports, backupEligible, friendlyName: nameOfModel(aaguid) };
}

/** @throws ApiError operatorLinkUnknown, and those of {@link verifyOperatorRegistration} */
export async function finishLinkPasskey(
  app: App,
  client: Client,
  link: OperatorLink,
  request: VerifyRequest,
): Promise<OpenedSession> {
  const passkey = await verifyOperatorRegistration(app, client, link.hash, request);
  const operator = identityOf(link);
  const deed = { operator, requestId: client.requestId };
  const audit = [
    operatorEntry(deed, 'operator_passkey_added', { after: { name: passkey.friendlyName } }),
    operatorEntry(deed, 'operator_signed_in', { method: 'passkey' }),
  ];
  const { token, stored } = newSession(app, client, audit);
  if ((await useLinkForPasskey(app.db, link.hash, passkey, stored)) === undefined)
    throw apiError('operatorLinkUnknown');
  logAudit(app, client.requestId, audit);
  return { token, operator };
}

/** The secret for an authenticator app; each call makes a new one. @throws ApiError operatorLinkUnknown */
export async function beginLinkPassword(app: App, link: OperatorLink) {
  const secret = createTotpSecret();
  const account = `${link.name}@${consoleHostOf(app.config)}`;
  const uri = buildTotpUri({ issuer: 'Latchkey console', account, secret });
  const sealed = app.factorSecrets.seal(link.hash, secret);
  if (link.signs_in || !(await keepLinkSecret(app.db, link.hash, sealed))) throw apiError('operatorLinkUnknown');
  return { secret, uri, qr_code: drawQrCode(uri) };
}

/** @throws ApiError operatorCodeWrong, operatorLinkUnknown, weakPassword, passwordTooLong */
export async function finishLinkPassword(
  app: App,
  client: Client,
  link: OperatorLink,
  given: { readonly password: string; readonly code: string },
): Promise<OpenedSession> {
  const linkSecret = link.totp_secret;
  const secret = linkSecret === null ? null : app.factorSecrets.open(link.hash, linkSecret);
  const clock = { nowSeconds: Date.now() / 1000, skewSteps: SKEW_STEPS };
  const match = secret === null ? null : matchTotp(secret, given.code, clock);
  if (linkSecret === null || secret === null || match === null) throw apiError('operatorCodeWrong');
  const owner = { email: null, phone: null, user_metadata: { full_name: link.name } };
  await assertPasswordAcceptable(app, given.password, owner);
  const operator = identityOf(link);
  const audit = [
    operatorEntry({ operator, requestId: client.requestId }, 'operator_signed_in', { method: 'password' }),
  ];
  const { token, stored } = newSession(app, client, audit);
  const password = {
    passwordHash: await app.crypto.hashPassword(given.password),
    linkSecret,
    secret: app.factorSecrets.seal(link.id, secret),
    step: match.step,
  };
  if ((await useLinkForPassword(app.db, link.hash, password, stored)) === undefined)
    throw apiError('operatorLinkUnknown');
  logAudit(app, client.requestId, audit);
  return { token, operator };
}

/** Only links of the development server. @throws ApiError operatorLinkUnknown */
export async function signInByLink(app: App, client: Client, link: OperatorLink): Promise<OpenedSession> {
  const operator = identityOf(link);
  const audit = [operatorEntry({ operator, requestId: client.requestId }, 'operator_signed_in', { method: 'link' })];
  const { token, stored } = newSession(app, client, audit);
  if ((await useLinkToSignIn(app.db, link.hash, stored)) === undefined) throw apiError('operatorLinkUnknown');
  logAudit(app, client.requestId, audit);
  return { token, operator };
}
