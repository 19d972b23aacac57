/** The trace of one sign-in at a provider, which an operator has opened (docs/decisions.md, Traces of providers). */
import {
  type BegunTrace,
  beginProviderTrace,
  findBegunTrace,
  findWaitingTrace,
  noteTraceSteps,
  type TraceOutcome,
  type TraceStep,
} from '../../../db/provider-traces.js';
import { type ApiError, apiError } from '../../errors.js';
import type { ExternalProfile, Watch, WatchedHop } from '../../providers/contract.js';
import type { App } from '../../runtime/app.js';
import type { OwnerDecision } from '../account-linking.js';
import { makeTicket, openTicket } from '../flow-state.js';
import {
  type DecisionBasis,
  describeDecision,
  describeDeparture,
  describeFailure,
  describeProfile,
  describeReturn,
} from './describe-step.js';
import { Mask } from './mask.js';

/** A browser that loads the callback again and again fills no table. */
const MOST_STEPS = 60;

type TraceParts = Pick<App, 'db' | 'keys' | 'log'>;

/** What the page before an attempt says, and its link to the attempt itself. */
export interface AnnouncedTrace {
  readonly isDry: boolean;
  /** `latchkey_trace` of /authorize that begins it. */
  readonly ticket: string;
}

/**
 * An address that somebody sends on is opened by scanners and previews of chats, which would use it up; and whoever is asked to
 * sign in learns first that an operator looks on. So it leads to a page, and the link there begins the attempt.
 * @param ticket `latchkey_trace` of /authorize @returns null: it is none of an address @throws ApiError traceNotUsable
 */
export async function announceTrace(app: TraceParts, ticket: string, provider: string): Promise<AnnouncedTrace | null> {
  const opened = openTicket('trace link', ticket, app.keys.flow.accepted(Date.now()));
  if (opened === undefined) return null;
  const row = await findWaitingTrace(app.db, opened.id, provider.toLowerCase());
  if (row === undefined) throw apiError('traceNotUsable');
  return { isDry: row.is_dry, ticket: makeTicket('trace', opened.id, app.keys.flow.current) };
}

/**
 * Begins the attempt of a trace.
 * @param ticket of {@link announceTrace}
 * @throws ApiError traceNotUsable: it is made up, used, expired or of another provider. No sign-in follows then, since a
 *   dry run must not become a real one
 */
export async function beginTrace(app: TraceParts, ticket: string, provider: string): Promise<AttemptTrace> {
  const opened = openTicket('trace', ticket, app.keys.flow.accepted(Date.now()));
  const name = provider.toLowerCase();
  const row = opened && (await beginProviderTrace(app.db, opened.id, name));
  if (opened === undefined || row === undefined) throw apiError('traceNotUsable');
  const trace = new AttemptTrace(app, opened.id, { ...row, provider: name, is_ended: false });
  trace.hide(ticket);
  return trace;
}

/** Goes on with a trace at the callback. @throws ApiError traceNotUsable: it is gone */
export async function resumeTrace(app: TraceParts, id: string): Promise<AttemptTrace> {
  const row = await findBegunTrace(app.db, id);
  if (row === undefined) throw apiError('traceNotUsable');
  return new AttemptTrace(app, id, row);
}

/**
 * The cookie of the browser in which an attempt began. It leads back to the trace where the state does not, and takes a
 * MAC instead of a look-up.
 */
export const makeTraceSecret = ({ keys }: Pick<App, 'keys'>, traceId: string): string =>
  makeTicket('trace browser', traceId, keys.flow.current);

/** @returns id of the trace that began in a browser; null: none did */
export const readTraceSecret = ({ keys }: Pick<App, 'keys'>, browserSecret: string | null): string | null =>
  (browserSecret && openTicket('trace browser', browserSecret, keys.flow.accepted(Date.now()))?.id) || null;

/** Notes steps in order, in the background; a database that does not answer loses them and stops nothing. */
export class AttemptTrace implements Watch {
  readonly id: string;
  /** The attempt ends before anything about an account is written. */
  readonly isDry: boolean;
  readonly provider: string;
  /** When it was resumed. */
  readonly isEnded: boolean;
  readonly #app: TraceParts;
  readonly #mask = new Mask();
  #waiting: TraceStep[] = [];
  #last = performance.now();
  #writing: Promise<void> = Promise.resolve();

  constructor(app: TraceParts, id: string, { is_dry, provider, is_ended }: BegunTrace) {
    this.#app = app;
    this.id = id;
    this.isDry = is_dry;
    this.provider = provider;
    this.isEnded = is_ended;
  }

  hide(...secrets: readonly (string | null | undefined)[]): void {
    this.#mask.hide(secrets);
  }

  hideMembers(json: unknown): void {
    this.#mask.hideMembers(json);
  }

  note({ kind, isOk, ms, detail }: WatchedHop): void {
    this.#add(kind, isOk, detail, ms);
  }

  /** The browser is sent to the provider. */
  noteDeparture(parameters: ReadonlyMap<string, string>, url: string): void {
    this.#add('authorize', true, describeDeparture(parameters, url));
  }

  /** The browser is back. @param refusal why its flow does not go on; null: it does */
  noteReturn(parameters: ReadonlyMap<string, string>, refusal: ApiError | null): void {
    for (const name of ['code', 'state', 'id_token', 'access_token', 'oauth_token', 'oauth_verifier']) {
      this.hide(parameters.get(name));
    }
    const detail = { ...describeReturn(parameters, refusal === null), ...(refusal && describeFailure(refusal)) };
    this.#add('callback', refusal === null, detail);
  }

  noteProfile(profile: ExternalProfile): void {
    this.#add('profile', true, describeProfile(profile));
  }

  /** A step of a sign-in at a company. */
  noteStep(kind: string, isOk: boolean, detail: Readonly<Record<string, unknown>>): void {
    this.#add(kind, isOk, detail);
  }

  noteDecision(decision: OwnerDecision, basis: DecisionBasis): void {
    this.#add('decision', decision.kind !== 'reject', describeDecision(decision, basis));
  }

  /** @returns once everything is written */
  async end(outcome: TraceOutcome, detail: Readonly<Record<string, unknown>>, requestId: string): Promise<void> {
    const isOk = outcome !== 'failed' && outcome !== 'denied';
    this.#add('end', isOk, { outcome, request_id: requestId, ...detail }, null, outcome);
    await this.settle();
  }

  /** @returns once everything is written */
  fail(error: ApiError, requestId: string): Promise<void> {
    return this.end('failed', describeFailure(error), requestId);
  }

  /** @returns once everything that was noted is written */
  settle(): Promise<void> {
    return this.#writing;
  }

  /** @param ms null: since the step before, or since the request came */
  #add(
    kind: string,
    isOk: boolean,
    detail: Readonly<Record<string, unknown>>,
    ms: number | null = null,
    outcome: TraceOutcome | null = null,
  ): void {
    const now = performance.now();
    this.#waiting.push({
      kind,
      at: new Date().toISOString(),
      ms: Math.round((ms ?? now - this.#last) * 10) / 10,
      is_ok: isOk,
      detail: this.#mask.step(detail),
    });
    this.#last = now;
    this.#writing = this.#writing.then(() => this.#write(outcome));
  }

  /** What came meanwhile goes with it. */
  async #write(outcome: TraceOutcome | null): Promise<void> {
    const steps = this.#waiting;
    if (steps.length === 0 && outcome === null) return;
    this.#waiting = [];
    try {
      await noteTraceSteps(this.#app.db, this.id, steps, outcome, MOST_STEPS);
    } catch (error) {
      const fields = { component: 'providers', trace_id: this.id, reason: (error as Error).message };
      this.#app.log.warn(fields, 'Steps of a provider trace could not be written down');
    }
  }
}
