/** Refused requests as the API tells them. */
export interface RefusedRequest {
  readonly id: string;
  readonly created_at: string;
  readonly request_id: string;
  readonly method: string;
  /** Null: no endpoint. */
  readonly route: string | null;
  readonly grant_type: string | null;
  readonly status: number;
  readonly error_code: string;
  readonly user_id: string | null;
  readonly ip: string | null;
  /** Refusals with this error before it that were too many to be kept. */
  readonly left_out: number;
  readonly message: string;
  readonly failed: string;
}

export interface RefusalPage {
  readonly refusals: readonly RefusedRequest[];
  readonly next_cursor: string | null;
  readonly is_recording: boolean;
}

export type CheckOutcome = 'passed' | 'failed' | 'does_not_apply' | 'maybe' | 'unknown' | 'not_reached';

export interface ShownSetting {
  readonly name: string;
  readonly doc: string;
  readonly is_set: boolean;
  /** Absent for secrets. */
  readonly value?: unknown;
  readonly fingerprint?: string;
}

export interface Check {
  readonly name: string;
  readonly holds: string;
  readonly outcome: CheckOutcome;
  readonly settings: readonly ShownSetting[];
}

export interface ExplainedRefusal extends RefusedRequest {
  readonly advice: string;
  readonly reason: string | null;
  readonly limit: string | null;
  readonly checks: readonly Check[];
}

/** As `POST /token (password)`. */
export const nameOfRequest = ({
  method,
  route,
  grant_type,
}: Pick<RefusedRequest, 'method' | 'route' | 'grant_type'>): string =>
  `${method} ${route ?? 'an unknown path'}${grant_type === null ? '' : ` (${grant_type})`}`;

export const linkToRefusal = ({ request_id }: Pick<RefusedRequest, 'request_id'>): string =>
  `/requests/${encodeURIComponent(request_id)}`;
