/** Options of the two ceremonies in their JSON form (WebAuthn Level 3, 5.4 and 5.5). */
import type { UserRow } from '../../db/user-rows.js';
import type { RelyingParty } from './relying-party.js';

/** Milliseconds that browsers wait for the user. */
const TIMEOUT_MS = 300_000;

/** PublicKeyCredentialDescriptorJSON. */
export interface CredentialDescriptor {
  readonly type: 'public-key';
  /** base64url */
  readonly id: string;
  readonly transports?: readonly string[];
}

export type UserVerification = 'preferred' | 'required' | 'discouraged';

export interface CreationWishes {
  readonly challenge: string;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly exclude: readonly CredentialDescriptor[];
  /** AuthenticatorSelectionCriteria; clients fill in what is absent. */
  readonly selection: { readonly residentKey?: 'required'; readonly userVerification?: UserVerification };
  readonly attestation?: string;
}

export interface RequestWishes {
  readonly challenge: string;
  /** Empty: any discoverable credential. */
  readonly allow: readonly CredentialDescriptor[];
  readonly userVerification?: UserVerification;
}

/** PublicKeyCredentialCreationOptionsJSON. */
export const creationOptions = (party: RelyingParty, wishes: CreationWishes) => ({
  rp: { name: party.name, id: party.id },
  user: wishes.user,
  challenge: wishes.challenge,
  pubKeyCredParams: party.algorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: TIMEOUT_MS,
  ...(wishes.exclude.length > 0 && { excludeCredentials: wishes.exclude }),
  authenticatorSelection: wishes.selection,
  ...(wishes.attestation !== undefined && { attestation: wishes.attestation }),
});

/** PublicKeyCredentialRequestOptionsJSON. */
export const requestOptions = (party: RelyingParty, { challenge, allow, userVerification }: RequestWishes) => ({
  challenge,
  timeout: TIMEOUT_MS,
  rpId: party.id,
  ...(allow.length > 0 && { allowCredentials: allow }),
  ...(userVerification !== undefined && { userVerification }),
});

/**
 * The user as authenticators store and show it. The handle is the text of the id, as in supabase/auth, so that credentials
 * move with their users. A name is never empty: some authenticators refuse that.
 */
export function credentialUser({ id, email, phone, user_metadata: data }: Readonly<UserRow>): CreationWishes['user'] {
  const name = email || phone || id;
  const displayName = typeof data['name'] === 'string' && data['name'] !== '' ? data['name'] : name;
  return { id: userHandleOf(id), name, displayName };
}

/** @returns base64url */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
