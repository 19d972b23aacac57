/** What an operator sees of the calls of one sign-in (docs/decisions.md, Traces of providers). Without a watch nothing is made. */
import type { OutboundAnswer, OutboundRequest } from '../outbound/outbound.js';
import { OutboundError } from '../outbound/outbound.js';

/** A hop that was watched. Its texts are masked where they are noted. */
export interface WatchedHop {
  readonly kind: 'discovery' | 'request_token' | 'token' | 'profile_call' | 'id_token';
  readonly isOk: boolean;
  readonly ms: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Watch {
  /** Texts that must not be noted, wherever they appear from now on. */
  hide(...secrets: readonly (string | null | undefined)[]): void;
  /** The same for members that have a token or a secret by their names, however deep. */
  hideMembers(json: unknown): void;
  note(hop: WatchedHop): void;
}

/** What a call is for, and what should be known about it besides. */
export interface CallPurpose {
  readonly kind: 'request_token' | 'token' | 'profile_call';
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Makes a call, and notes how it ended. */
export async function watchCall(
  watch: Watch | undefined,
  { kind, detail }: CallPurpose,
  { url, method = 'GET' }: OutboundRequest,
  call: () => Promise<OutboundAnswer>,
): Promise<OutboundAnswer> {
  if (watch === undefined) return call();
  const shared = { ...detail, method, url: withoutQuery(url) };
  const began = performance.now();
  try {
    const answer = await call();
    const ms = performance.now() - began;
    const fields = readFields(answer.text);
    watch.hideMembers(fields);
    const seen = describeAnswer(answer, fields);
    watch.note({ kind, isOk: seen.isOk, ms, detail: { ...shared, ...seen.detail } });
    return answer;
  } catch (error) {
    const fault = { fault: describeFault(error) };
    watch.note({ kind, isOk: false, ms: performance.now() - began, detail: { ...shared, ...fault } });
    throw error;
  }
}

/** Measures a step that is no call of its own, and notes how it ended. @param describe what is known of a result */
export async function watchStep<T>(
  watch: Watch | undefined,
  kind: WatchedHop['kind'],
  step: () => Promise<T>,
  describe: (result: T | null) => Readonly<Record<string, unknown>>,
): Promise<T> {
  if (watch === undefined) return step();
  const began = performance.now();
  try {
    const result = await step();
    watch.note({ kind, isOk: true, ms: performance.now() - began, detail: describe(result) });
    return result;
  } catch (error) {
    const detail = { ...describe(null), fault: describeFault(error) };
    watch.note({ kind, isOk: false, ms: performance.now() - began, detail });
    throw error;
  }
}

export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '');

/** The message, with the code of the operating system or of TLS where there is one. */
function describeFault(error: unknown): string {
  const { message, cause } = error as Error;
  const { code } = (cause ?? {}) as { code?: unknown };
  return error instanceof OutboundError && typeof code === 'string' ? `${message} (${code})` : message;
}

type Fields = Readonly<Record<string, unknown>> | null;

function describeAnswer({ status, headers, text }: OutboundAnswer, fields: Fields) {
  const error = fields?.['error'];
  const isOk = status >= 200 && status < 300 && !error;
  const clock = Date.parse(headers['date'] ?? '');
  const detail = {
    status,
    content_type: headers['content-type'] ?? null,
    bytes: Buffer.byteLength(text),
    // Whole seconds, and those that the answer took: a hint only.
    clock_ahead_seconds: Number.isNaN(clock) ? null : Math.round((clock - Date.now()) / 1000),
    members: fields === null ? null : Object.keys(fields).slice(0, 50),
    ...(typeof fields?.['scope'] === 'string' && { scope: fields['scope'] }),
    ...(!isOk && { error_body: text }),
  };
  return { isOk, detail };
}

/** The members of an object as JSON, or of a form; null for anything else. */
function readFields(text: string): Fields {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json } : null;
  } catch {
    return /^[\w.-]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : null;
  }
}
