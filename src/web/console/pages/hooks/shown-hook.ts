export interface ShownHook {
  readonly name: string;
  readonly enabled: boolean;
  readonly address: string | null;
  readonly kind: 'http' | 'function' | null;
  readonly is_signed: boolean;
  readonly fails_open: boolean;
  readonly timeout_seconds: number;
  readonly max_concurrency: number;
  readonly breaker: { readonly is_open: boolean; readonly wait_seconds: number } | null;
  readonly events: readonly string[];
}

export type ShownStep =
  | {
      readonly what: 'request';
      readonly line: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | { readonly what: 'signature' | 'problem'; readonly text: string }
  | { readonly what: 'answer'; readonly status: number; readonly text: string };

export interface ShownRehearsal {
  readonly steps: readonly ShownStep[];
  /** Null: nothing was sent. */
  readonly verdict: string | null;
  readonly is_refused: boolean;
  readonly duration_ms: number;
}
