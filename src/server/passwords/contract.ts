/** Checks of passwords against lists. The rules on length and characters are in accounts/password-rules.ts. */

export interface PasswordChecks {
  /** The list of leaked passwords; null: not checked. */
  readonly leaked: LeakedList | null;
  /** The built-in list of common passwords; null: not checked. */
  readonly common: CommonPasswords | null;
  stats(): PasswordStats;
  close(): Promise<void> | undefined;
}

export interface LeakedList {
  /**
   * Whether the list contains the password.
   * @param digest its SHA-1, which the published lists are made of
   * @throws OutboundError, BreakerOpenError, or Error, when there is no answer
   */
  has(digest: Buffer): Promise<boolean>;
}

export interface CommonPasswords {
  /** In any case. */
  has(password: string): boolean;
}

export interface PasswordStats {
  /** Checks by outcome. */
  readonly leakChecks: Readonly<Record<LeakOutcome, number>>;
  /** When the filter of AUTH_PASSWORD_HIBP_FILE was built, in Unix time; null without one. */
  readonly filterBuiltAtSeconds: number | null;
}

export type LeakOutcome = 'clean' | 'leaked' | 'failed';
