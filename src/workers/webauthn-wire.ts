/** What a server thread asks the WebAuthn thread to verify, and its answers (plain data). */

/** What every response must match. Member names as in WebAuthn Level 3. */
export interface ExpectedCeremony {
  /** base64url, as the options had it. */
  readonly challenge: string;
  readonly rpId: string;
  readonly origins: readonly string[];
  readonly requireUserVerification: boolean;
}

/** AuthenticatorAttestationResponse in its JSON form, as far as it is verified; binary members in base64url. */
export interface RegistrationJob extends ExpectedCeremony {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
  /** COSE numbers of the algorithms that the options listed. */
  readonly algorithms: readonly number[];
}

/** AuthenticatorAssertionResponse in its JSON form, as far as it is verified. */
export interface AssertionJob extends ExpectedCeremony {
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** COSE key of the credential, base64url. */
  readonly publicKey: string;
}

/**
 * Why a response is refused: it cannot be decoded, was made for another ceremony, challenge or site, or is false in any
 * other way (signature, RP id, flags, algorithm, attestation).
 */
export type WebAuthnRefusal = 'unreadable' | 'ceremony' | 'challenge' | 'origin' | 'rejected';

interface AuthenticatorFlags {
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly signCount: number;
}

export interface VerifiedRegistration extends AuthenticatorFlags {
  readonly refusal?: never;
  /** COSE key, base64url. */
  readonly publicKey: string;
  readonly aaguid: string;
  /** Format of the attestation statement: `none`, `packed`, … */
  readonly attestationFormat: string;
}

export interface VerifiedAssertion extends AuthenticatorFlags {
  readonly refusal?: never;
}

export interface RefusedResponse {
  readonly refusal: WebAuthnRefusal;
  /** For the log: no secrets. */
  readonly detail: string;
}

/** Verification of WebAuthn responses, in a thread that starts with the first job. */
export interface WebAuthnVerification {
  /** @throws CryptoPoolFullError when too many responses wait */
  verifyRegistration(job: RegistrationJob): Promise<VerifiedRegistration | RefusedResponse>;
  /**
   * Verifies everything but the signature counter, which only the update of the credential can compare.
   * @throws CryptoPoolFullError when too many responses wait
   */
  verifyAssertion(job: AssertionJob): Promise<VerifiedAssertion | RefusedResponse>;
  /** Starts the thread now, so that the first user does not wait for it. */
  warmWebAuthn(): Promise<void>;
}
