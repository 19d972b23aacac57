/** Counts how often each key verified a token, so that an operator sees when an old one is no longer used. */

export interface VerifyCounts {
  ok: number;
  /** Well signed, but its times are not those of now. */
  expired: number;
  /** Not signed by this key, or malformed. */
  refused: number;
}

export interface TokenKeyStats {
  /** By kid; `none` is AUTH_JWT_SECRET without AUTH_JWT_KEY_ID, `unknown` all tokens without a key of ours. */
  readonly verifications: ReadonlyMap<string, Readonly<VerifyCounts>>;
  /** Age of the keys in the database by kid. */
  readonly ageSeconds: Readonly<Record<string, number>>;
}

/** The label of tokens that name no key of ours. */
export const UNKNOWN_KID = 'unknown';

export interface VerifyCounter {
  /** The counts of a kid, which live as long as the process: a metric must not decrease. */
  of(kid: string): VerifyCounts;
  read(): ReadonlyMap<string, Readonly<VerifyCounts>>;
  /** Kids that verified a token since the last call. */
  takeUsed(): string[];
}

export function countVerifications(): VerifyCounter {
  const counts = new Map<string, VerifyCounts>();
  const seen = new Map<string, number>();
  return {
    of(kid) {
      const name = kid === '' ? 'none' : kid;
      const known = counts.get(name) ?? { ok: 0, expired: 0, refused: 0 };
      counts.set(name, known);
      return known;
    },
    read: () => counts,
    takeUsed() {
      const used = [...counts].filter(([kid, { ok }]) => ok > (seen.get(kid) ?? 0)).map(([kid]) => kid);
      for (const kid of used) seen.set(kid, counts.get(kid)!.ok);
      return used;
    },
  };
}
