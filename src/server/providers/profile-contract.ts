/** A user as a provider describes them. Types only. */

/** An address as a provider reports it, unchanged. */
export interface ProviderAddress {
  readonly email: string;
  /** The provider vouches for it. Only verified addresses link accounts (SEC-64). */
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
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
}
