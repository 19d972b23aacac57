/** A user as a provider describes them. Types only. */
import type { SsoProviderRow } from '../../db/sso-providers.js';

/** An address as a provider reports it, unchanged. */
export interface ProviderAddress {
  readonly email: string;
  /** The provider vouches for it. Only verified addresses link accounts (SEC-64). */
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
}

/** The organization of the provider, and what decides about the roles that the user gets there. */
export interface OrganizationProfile {
  readonly id: string;
  /** Id of the provider. */
  readonly providerId: string;
  readonly roles: SsoProviderRow['roles'];
  readonly role_mapping: SsoProviderRow['role_mapping'];
  /** The answer of the provider. */
  readonly said: Readonly<Record<string, unknown>>;
}

/** A user as described by a provider. */
export interface ExternalProfile {
  /** The user's id at the provider, never empty (SEC-63). */
  readonly subject: string;
  /**
   * Flat claims under the names of supabase/auth, empty ones left out, `sub` and `provider_id` included;
   * `email`, `email_verified` and `phone_verified` are added later.
   */
  readonly claims: Readonly<Record<string, unknown>>;
  /** None with an empty `email`. */
  readonly addresses: readonly ProviderAddress[];
  /** Absent: its provider belongs to the installation. */
  readonly organization?: OrganizationProfile | undefined;
}
