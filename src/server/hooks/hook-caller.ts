/** Calls one hook: bound, breaker, transport, log and metrics. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/types.js';
import type { HookConfig, HookName } from '../config/settings.js';
import { type Breaker, BreakerOpenError, makeBreaker } from '../outbound/breaker.js';
import type { Log } from '../telemetry/log.js';
import { type HookOutput, readHttpAnswer } from './answer.js';
import type { HookState } from './contract.js';
import { failed, HookFailure, type HookOutcome } from './failure.js';
import { type HookTrace, openHttpHook } from './http.js';
import { callHookFunction } from './pg-function.js';
import { makePlaces } from './places.js';

const QUEUE_MS = 1000;
const FAILURES_TO_OPEN = 10;
const OPEN_SECONDS = 5;

/** `metadata.name` of each input. */
const eventNames: Readonly<Record<HookName, string>> = {
  custom_access_token: 'customize-access-token',
  password_verification_attempt: 'password-verification',
  mfa_verification_attempt: 'mfa-verification',
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
  send_email: 'send-email',
  send_sms: 'send-sms',
};

export interface HookCaller {
  /**
   * @param input without its metadata
   * @param id the webhook-id; default: a new one
   * @returns the output
   * @throws HookFailure
   */
  call(input: Readonly<Record<string, unknown>>, ip: string | null, id?: string): Promise<HookOutput>;
  /** What the breaker says. */
  state(): HookState;
  close(): void;
}

export interface HookCallerOptions {
  readonly name: HookName;
  readonly settings: HookConfig;
  readonly db: Database;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly observe?: ((hook: HookName, outcome: HookOutcome, seconds: number) => void) | undefined;
  readonly trace?: HookTrace;
}

/** @param options of a hook that is enabled */
export function openHookCaller({ name, settings, db, log, observe, trace }: HookCallerOptions): HookCaller {
  const transport = openTransport(settings, db, trace);
  const places = makePlaces(settings.maxConcurrency, QUEUE_MS);
  const fields = { component: 'auth_hook', action: 'run_hook', hook: hookAddressOf(settings), hook_name: name };
  const breaker: Breaker = makeBreaker({
    failuresToOpen: FAILURES_TO_OPEN,
    openSeconds: OPEN_SECONDS,
    now: () => performance.now(),
    isFailure: (error) => error instanceof HookFailure && ['timeout', 'unreachable'].includes(error.outcome),
    onChange(isOpen) {
      if (isOpen) log.error(fields, `The hook keeps failing: it is not called for ${OPEN_SECONDS} s.`);
      else log.info(fields, 'The hook works again.');
    },
  });

  async function run(id: string, body: string, onTry: (number: number) => void): Promise<Answered> {
    const giveBack = await places.take();
    if (giveBack === null) throw busy('all calls at a time are taken', 1);
    try {
      return await breaker.run(() => transport.call(id, body, onTry));
    } catch (error) {
      if (error instanceof BreakerOpenError) throw busy(error.message, error.waitSeconds);
      throw error;
    } finally {
      giveBack();
    }
  }

  return {
    async call(input, ip, id = randomUUID()) {
      const started = performance.now();
      let tries = 0;
      const body = JSON.stringify({ metadata: metadataOf(name, ip), ...input });
      const finish = (outcome: HookOutcome, status: number | undefined, failure?: HookFailure): void => {
        const seconds = (performance.now() - started) / 1000;
        observe?.(name, outcome, seconds);
        const facts = {
          ...fields,
          success: failure === undefined,
          // Microseconds, as in supabase/auth.
          duration: Math.round(seconds * 1e6),
          tries,
          webhook_id: id,
          ...(failure !== undefined && { error: failure.message }),
          ...(status !== undefined && { status }),
          ...(failure?.excerpt && isOutsideSuccess(status) && { answer: failure.excerpt }),
        };
        if (failure === undefined) log.info(facts, 'A hook was called');
        else log.warn(facts, 'A call of a hook failed');
      };
      try {
        const { output, status } = await run(id, body, (number) => {
          tries = number;
          if (number > 1) log.info({ ...fields, tries, webhook_id: id }, 'A hook is called again');
        });
        finish('ok', status);
        return output;
      } catch (error) {
        if (error instanceof HookFailure) finish(error.outcome, error.status, error);
        throw error;
      }
    },
    state: () => ({ isOpen: breaker.isOpen(), waitSeconds: breaker.waitSeconds() }),
    close: () => transport.close(),
  };
}

interface Answered {
  readonly output: HookOutput;
  /** Of HTTP. */
  readonly status?: number;
}

interface Transport {
  call(id: string, body: string, onTry: (number: number) => void): Promise<Answered>;
  close(): void;
}

function openTransport(settings: HookConfig, db: Database, trace?: HookTrace): Transport {
  const { uri, timeoutSeconds } = settings;
  if (uri === null) throw new Error('The address of a hook is checked at start.');
  if (uri.kind === 'function') {
    return {
      async call(_id, body, onTry) {
        onTry(1);
        trace?.request(`select ${uri.schema}.${uri.name}($1)`, {}, body);
        return { output: await callHookFunction(db, uri, body, timeoutSeconds) };
      },
      close: () => undefined,
    };
  }
  const http = openHttpHook(uri.url, settings, trace);
  return {
    async call(id, body, onTry) {
      const answer = await http.call(id, body, onTry);
      return { output: readHttpAnswer(answer), status: answer.status };
    },
    close: http.close,
  };
}

const busy = (reason: string, retryAfterSeconds: number) =>
  failed('busy', 'hookBusy', reason, {}, {}, { retryAfterSeconds });

/** A body with status 2xx may hold claims or codes. */
const isOutsideSuccess = (status: number | undefined): boolean =>
  status !== undefined && (status < 200 || status > 299);

function metadataOf(name: HookName, ip: string | null): object {
  const time = new Date().toISOString();
  return { uuid: randomUUID(), time, name: eventNames[name], ...(ip !== null && { ip_address: ip }) };
}

/** Without the query, which may hold a key. */
export function hookAddressOf({ uri }: Pick<HookConfig, 'uri'>): string {
  if (uri === null) return '';
  if (uri.kind === 'function') return `pg-functions://postgres/${uri.schema}/${uri.name}`;
  const url = new URL(uri.url);
  return `${url.origin}${url.pathname}`;
}
