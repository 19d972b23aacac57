/** Verifies responses: what the WebAuthn thread checks, and what needs the stored credential or the settings. */
import type { VerifiedAssertion, VerifiedRegistration, WebAuthnRefusal } from '../../workers/webauthn-wire.js';
import type { App } from '../runtime/app.js';
import { relyingPartyOf } from './relying-party.js';
import type { AssertionResponse, RegistrationResponse } from './responses.js';

/** Reasons besides those of the thread: model not allowed, backup eligibility changed, counter did not rise. */
export type Refusal = WebAuthnRefusal | 'aaguid' | 'backup_eligibility' | 'counter';

export interface Refused {
  readonly refusal: Refusal;
  /** For the log: no secrets. */
  readonly detail: string;
}

/** What is stored of a new credential. */
export interface NewCredential extends Omit<VerifiedRegistration, 'refusal'> {
  readonly refusal?: never;
  readonly credentialId: string;
  readonly transports: readonly string[];
}

/** What is stored of a credential, as far as an assertion must agree with it. */
export interface StoredCredential {
  /** COSE key, base64url. */
  readonly publicKey: string;
  readonly signCount: number;
  readonly backupEligible: boolean;
}

export interface UsedCredential extends Omit<VerifiedAssertion, 'refusal'> {
  readonly refusal?: never;
  /** The counter did not rise, which AUTH_WEBAUTHN_COUNTER_POLICY=warn accepts. */
  readonly isCloneSuspected: boolean;
}

type Verifying = Pick<App, 'config' | 'crypto'>;

/** @throws CryptoPoolFullError when too many responses wait */
export async function verifyNewCredential(
  { config, crypto }: Verifying,
  response: RegistrationResponse,
  challenge: string,
): Promise<NewCredential | Refused> {
  const { credentialId, clientDataJson, attestationObject, transports } = response;
  const { algorithms } = relyingPartyOf(config);
  const job = { ...expected(config, challenge), credentialId, clientDataJson, attestationObject, algorithms };
  const verified = await crypto.verifyRegistration(job);
  if (verified.refusal !== undefined) return verified;
  const allowed = config.webauthnAllowedAaguids;
  if (allowed.length > 0 && !allowed.some((aaguid) => aaguid.toLowerCase() === verified.aaguid)) {
    return { refusal: 'aaguid', detail: `the model ${verified.aaguid} is not allowed` };
  }
  return { ...verified, credentialId, transports };
}

/** @throws CryptoPoolFullError when too many responses wait */
export async function verifyCredentialUse(
  { config, crypto }: Verifying,
  stored: StoredCredential,
  response: AssertionResponse,
  challenge: string,
): Promise<UsedCredential | Refused> {
  const { userHandle: _, ...given } = response;
  const verified = await crypto.verifyAssertion({
    ...expected(config, challenge),
    ...given,
    publicKey: stored.publicKey,
  });
  if (verified.refusal !== undefined) return verified;
  if (verified.backupEligible !== stored.backupEligible) {
    return { refusal: 'backup_eligibility', detail: 'the credential was of another kind when it was registered' };
  }
  const isCloneSuspected = !isCounterRising(stored.signCount, verified.signCount);
  if (isCloneSuspected && config.webauthnCounterPolicy === 'refuse') {
    return { refusal: 'counter', detail: `the counter is ${verified.signCount} after ${stored.signCount}` };
  }
  return { ...verified, isCloneSuspected };
}

/** WebAuthn Level 3, 7.2 step 22. Synced credentials do not count: both are 0. */
const isCounterRising = (before: number, now: number): boolean => now > before || (now === 0 && before === 0);

function expected(config: App['config'], challenge: string) {
  const { id, origins } = relyingPartyOf(config);
  return { challenge, rpId: id, origins, requireUserVerification: config.webauthnUserVerification === 'required' };
}
