import { type ApiError, type ApiErrorOptions, apiError, type ErrorName } from '../errors.js';

/** How a call ended, for log and metrics. */
export type HookOutcome = 'ok' | 'refused' | 'timeout' | 'unreachable' | 'bad_answer' | 'busy';

/** A call that failed. The client gets `shown`; the log gets all. */
export class HookFailure extends Error {
  readonly outcome: HookOutcome;
  readonly shown: ApiError;
  readonly status: number | undefined;
  /** Start of the body, for the operator. */
  readonly excerpt: string | undefined;

  constructor(outcome: HookOutcome, shown: ApiError, message: string, details: FailureDetails = {}) {
    super(message);
    this.name = 'HookFailure';
    this.outcome = outcome;
    this.shown = shown;
    this.status = details.status;
    this.excerpt = details.text?.slice(0, EXCERPT_CHARACTERS);
  }
}

interface FailureDetails {
  readonly status?: number | undefined;
  readonly text?: string | undefined;
}

const EXCERPT_CHARACTERS = 512;

export function failed(
  outcome: HookOutcome,
  name: ErrorName,
  message: string,
  values: Readonly<Record<string, string | number>> = {},
  details?: FailureDetails,
  options?: ApiErrorOptions,
): HookFailure {
  return new HookFailure(outcome, apiError(name, values, options), message, details);
}
