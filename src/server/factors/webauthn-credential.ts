/** The credential of a WebAuthn factor, as it is stored. */
import type { NewCredential, UsedCredential } from '../webauthn/verification.js';

/** Snake case, as in a column of JSON. */
export interface FactorCredential {
  /** base64url */
  readonly id: string;
  /** COSE key, base64url. */
  readonly public_key: string;
  readonly sign_count: number;
  readonly transports: readonly string[];
  readonly backup_eligible: boolean;
  readonly backed_up: boolean;
  readonly aaguid: string;
}

export const storeCredential = (made: NewCredential): FactorCredential => ({
  id: made.credentialId,
  public_key: made.publicKey,
  sign_count: made.signCount,
  transports: made.transports,
  backup_eligible: made.backupEligible,
  backed_up: made.backedUp,
  aaguid: made.aaguid,
});

export const updateCredential = (stored: FactorCredential, used: UsedCredential): FactorCredential => ({
  ...stored,
  sign_count: used.signCount,
  backed_up: used.backedUp,
});

/** @returns null for a factor whose first verification is still to come */
export const readCredential = (stored: Readonly<Record<string, unknown>> | null): FactorCredential | null =>
  stored as FactorCredential | null;
