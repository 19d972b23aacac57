/** Requests to the API of the console: the only caller of fetch. */
import { askedStepUp, askStepUp, isReachable, operator } from './state.js';

/** A request that was refused, or that nobody answered. */
export class ApiFault extends Error {
  /** 0: no answer. */
  readonly status: number;
  /** `error_code` of the answer; offline, cancelled. */
  readonly code: string;
  /** What operators can look up in the log. */
  readonly errorId: string | null;
  /** The whole answer; some say more. */
  readonly body: unknown;

  constructor(status: number, code: string, message: string, errorId: string | null = null, body?: unknown) {
    super(message);
    this.name = 'ApiFault';
    this.status = status;
    this.code = code;
    this.errorId = errorId;
    this.body = body;
  }
}

/** A network that loses everything refuses nothing. */
const BACKGROUND_LIMIT_MS = 10_000;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface Ask {
  readonly body?: unknown;
  /** ETag of the state that a change is meant for. */
  readonly ifMatch?: string | null;
  readonly signal?: AbortSignal;
  /** The page asks by itself, which does not keep the session alive, and waits ten seconds at most. */
  readonly isBackground?: boolean;
}

interface Answer<T> {
  readonly data: T;
  /** For `ifMatch`. */
  readonly etag: string | null;
}

/**
 * Sends a request. Where it needs a step-up, the operator is asked, and it is sent again.
 * @throws ApiFault; DOMException AbortError
 */
export async function send<T = undefined>(method: Method, path: string, ask: Ask = {}): Promise<Answer<T>> {
  try {
    return await attempt<T>(method, path, ask);
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error;
    if (error.code === 'operator_signed_out') return again<T>(method, path, ask, error);
    if (error.code !== 'operator_step_up' || ask.isBackground) throw error;
    if (!(await askStepUp())) throw new ApiFault(0, 'cancelled', 'Cancelled: it was not confirmed that it is you.');
    return attempt<T>(method, path, ask);
  }
}

/**
 * A step-up gives the session another cookie, so a request that was on its way then is refused although the operator is
 * signed in. It did nothing and is sent once more.
 */
async function again<T>(method: Method, path: string, ask: Ask, refusal: ApiFault): Promise<Answer<T>> {
  try {
    await attempt('GET', '/api/me', { isBackground: true });
  } catch (error) {
    if (!(error instanceof ApiFault) || error.code !== 'operator_signed_out') throw refusal;
    // Nobody is left to confirm anything.
    askedStepUp.peek()?.done(false);
    operator.value = null;
    throw refusal;
  }
  return attempt<T>(method, path, ask);
}

async function attempt<T>(method: Method, path: string, ask: Ask): Promise<Answer<T>> {
  const headers: Record<string, string> = {};
  if (method !== 'GET') Object.assign(headers, { 'X-Latchkey-Console': '1', 'Content-Type': 'application/json' });
  if (ask.ifMatch != null) headers['If-Match'] = ask.ifMatch;
  if (ask.isBackground) headers['X-Latchkey-Background'] = '1';
  // Answers are not stored (Cache-Control), and the first may be there already (server/console/console-files.ts).
  const init: RequestInit = { method, headers, credentials: 'same-origin' };
  if (ask.body !== undefined) init.body = JSON.stringify(ask.body);
  const signals = [ask.signal, ask.isBackground && AbortSignal.timeout(BACKGROUND_LIMIT_MS)].filter((one) => !!one);
  init.signal = AbortSignal.any(signals);
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, init);
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    isReachable.value = false;
    throw new ApiFault(0, 'offline', 'The server does not answer.');
  }
  isReachable.value = true;
  const body = parse(text);
  if (!response.ok) throw faultOf(response.status, body);
  return { data: body as T, etag: response.headers.get('etag') };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf(status: number, body: unknown): ApiFault {
  const { error_code, msg, error_id } = (body ?? {}) as Partial<Record<string, string>>;
  return new ApiFault(status, error_code ?? 'unknown', msg ?? `The server answered ${status}.`, error_id ?? null, body);
}

/** What to show for anything that was thrown. */
export function asFault(error: unknown): ApiFault {
  return error instanceof ApiFault
    ? error
    : new ApiFault(0, 'unexpected', error instanceof Error ? error.message : 'Failed');
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** A path with query parameters; empty ones are left out. */
export function pathWith(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] != null && pair[1] !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
