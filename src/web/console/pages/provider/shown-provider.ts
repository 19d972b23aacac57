import { signal } from '@preact/signals';

export interface ShownProvider {
  /** As applications name it. */
  readonly name: string;
  /** As people know it. */
  readonly title: string;
  /** It takes no new applications: what to use instead. */
  readonly replaced_by: string | null;
  readonly source: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly problem: string | null;
  readonly client_id: string | null;
  readonly callback_url: string;
  readonly is_callback_usual: boolean;
  readonly settings_prefix: string | null;
}

export type ShownTraceState =
  | 'waiting'
  | 'expired'
  | 'running'
  | 'abandoned'
  | 'session'
  | 'code'
  | 'dry_run'
  | 'denied'
  | 'failed';

export interface ShownTrace {
  readonly id: string;
  readonly provider: string;
  readonly is_dry: boolean;
  readonly operator_name: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly state: ShownTraceState;
}

export interface TracedStep {
  readonly kind: string;
  readonly at: string;
  readonly ms: number;
  readonly is_ok: boolean;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly advice: string | null;
  readonly says: string | null;
}

export type FollowedTrace = ShownTrace & { readonly steps: readonly TracedStep[] };

/** The address of the trace that was opened last, which the server does not tell again. */
export const openedTrace = signal<{ readonly id: string; readonly url: string } | null>(null);

/** Of the provider of a company in a trace: `sso:` and its id. */
const COMPANY = /^sso:/;
export const isOfCompany = (name: string): boolean => COMPANY.test(name);

export const addressOfProvider = (name: string): string =>
  isOfCompany(name) ? `/companies/${name.replace(COMPANY, '')}` : `/providers/${encodeURIComponent(name)}`;
