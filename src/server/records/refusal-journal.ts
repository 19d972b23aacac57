/**
 * The journal of refused requests, which the console explains. It takes a refusal after its answer is sent, and writes
 * batches, so that neither bytes nor time of an answer depend on it (SEC-47).
 */
import { insertRefusals, type RefusalInput } from '../../db/refusals.js';
import type { Database } from '../../db/types.js';
import { isUuid } from '../../db/uuid.js';
import type { ErrorName } from '../errors.js';
import type { RequestRefusal } from '../http/options.js';
import type { Route } from '../http/types.js';
import type { Log } from '../telemetry/log.js';
import { openBatchWriter } from './batch-writer.js';
import { openOrderedClock } from './ordered-clock.js';
import { openRefusalRate } from './refusal-rate.js';
import { describeSteps, type StepSettings } from './request-steps.js';

export interface RefusalJournal {
  record(refusal: RequestRefusal): void;
  /** Later refusals follow this configuration. */
  use(settings: StepSettings): void;
  /** Writes what is waiting, if the database takes it. */
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly db: Database;
  readonly log: Pick<Log, 'warn'>;
  readonly routes: readonly Route<never>[];
  /** Of this thread; the process shares a rate. */
  readonly perSecond: number;
  readonly burst: number;
  readonly flushMs?: number;
}

export function openRefusalJournal(options: JournalOptions): RefusalJournal {
  const { db, log, flushMs } = options;
  const routes = new Map(options.routes.map((route) => [`${route.method} ${route.path}`, route]));
  const rate = openRefusalRate(options.perSecond, options.burst);
  const readTime = openOrderedClock();
  let settings: StepSettings = { rateLimitHeader: '', securityCaptchaEnabled: false };
  const batches = openBatchWriter<RefusalInput>({
    flushMs,
    write: (refusals) => insertRefusals(db, refusals),
    onLost(refusals, reason) {
      log.warn({ component: 'console', refusals: refusals.length, reason }, 'Refusals could not be recorded');
      for (const { error: name, left_out } of refusals) rate.giveUp(name, left_out);
    },
  });

  return {
    record(refusal) {
      const { error, method, route } = refusal;
      if (ORDINARY.has(error.entry)) return;
      if (batches.isFull) return rate.giveUp(error.entry, 0);
      const leftOut = rate.take(error.entry);
      if (leftOut === null) return;
      const steps = describeSteps(
        route === null ? undefined : routes.get(`${method} ${route}`),
        stepOf(refusal),
        settings,
      );
      batches.add(asRow(refusal, steps, leftOut, readTime()));
    },
    use(next) {
      settings = next;
    },
    close: batches.close,
  };
}

/** Errors that tell a client to ask again, as its protocol wants. */
const ORDINARY: ReadonlySet<ErrorName> = new Set(['devicePending', 'clientNonceMissing', 'holderNonceMissing']);

/** A deadline ends requests from outside: those whose body was there were in the hands of the rules. */
const stepOf = ({ error, step }: RequestRefusal): RequestRefusal['step'] => {
  if (error.entry === 'requestTimeout' || error.entry === 'shuttingDown') return 'rules';
  return error.entry === 'bodyTimeout' ? 'body' : step;
};

function asRow(refusal: RequestRefusal, steps: string, leftOut: number, createdAt: string): RefusalInput {
  const { error, requestId, method, route, grantType, status, remoteAddress } = refusal;
  return {
    created_at: createdAt,
    request_id: requestId,
    method,
    route,
    grant_type: grantType ?? null,
    status,
    error_code: error.errorCode,
    error: error.entry,
    steps,
    reason: error.about?.reason ?? null,
    limit_name: error.limit ?? null,
    user_id: error.about?.userId ?? idOfCaller(refusal.caller),
    ip: remoteAddress || null,
    left_out: leftOut,
  };
}

/** Users have an account, administrators perhaps: their sub may be anything. */
function idOfCaller(caller: unknown): string | null {
  const { user, subject } = (caller ?? {}) as { user?: { id?: string }; subject?: string | null };
  const id = user?.id ?? subject ?? '';
  return isUuid(id) ? id : null;
}
