/** What of an identity provider ends soon, for the log and the console. */
import type { SsoProviderRow } from '../../db/sso-providers.js';

const WARN_MS = 30 * 86_400_000;

export interface ComingEnd {
  /** certificate: the last that is valid. metadata: what it says of itself (validUntil). */
  readonly what: 'certificate' | 'metadata';
  readonly endsAt: string;
}

/** How many identity providers have an end of each kind before them. */
export type EndCounts = Record<ComingEnd['what'], number>;

/** What is known of all providers, and since when; a new configuration goes on with it. */
export interface EndWatch {
  readonly counts: EndCounts;
  /** 0: never. */
  lookedAtMs: number;
  /** Of the last warning in the log; 0: never. */
  warnedAtMs: number;
}

export const newEndWatch = (): EndWatch => ({
  counts: { certificate: 0, metadata: 0 },
  lookedAtMs: 0,
  warnedAtMs: 0,
});

type Stored = Pick<SsoProviderRow, 'metadata' | 'metadata_url' | 'metadata_error'>;

/**
 * What ends within 30 days, or has ended. Metadata that is read again in time is not named: many providers write an end that
 * is two days away.
 */
export function findComingEnds({ metadata, metadata_url, metadata_error }: Stored, nowMs: number): ComingEnd[] {
  const ends = metadata.certificates.map(({ not_after }) => not_after).toSorted();
  const found: ComingEnd[] = ends.slice(-1).map((endsAt) => ({ what: 'certificate', endsAt }));
  const isKept = metadata_url === null || metadata_error !== null;
  if (metadata.valid_until !== null && isKept) found.push({ what: 'metadata', endsAt: metadata.valid_until });
  return found.filter(({ endsAt }) => Date.parse(endsAt) < nowMs + WARN_MS);
}
