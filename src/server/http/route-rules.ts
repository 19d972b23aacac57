/** What the definition of a route asks of a request. */
import { type ApiError, apiError } from '../errors.js';
import type { Exchange } from './exchange.js';
import { parseJsonObject } from './json.js';
import type { EdgeOptions } from './options.js';
import { isForm } from './request.js';
import type { RouteEntry } from './router.js';
import type { ApiRequest, Route } from './types.js';

/** The validated body, or form, of a request to an endpoint with a schema. @throws ApiError */
export function readBody<Context>(
  exchange: Exchange,
  { route, readBody: read }: RouteEntry<Context>,
  request: ApiRequest,
): Record<string, unknown> {
  if (route.ignoresBody?.(request) === true) return read!({}, route.badBody);
  if (route.form === true || (route.form === 'or json' && isForm(exchange))) {
    return read!(readFormFields(request.form), route.badBody);
  }
  const bytes = exchange.body;
  if (bytes.length === 0 && route.bodyOptional === true) return read!({}, route.badBody);
  return read!(parseJsonObject(bytes, route.badBody, route.wholeBody), route.badBody);
}

/** Fields of captcha services in forms → the field of JSON bodies. */
const captchaFields: ReadonlyMap<string, string> = new Map([
  ['h-captcha-response', 'captcha_token'],
  ['cf-turnstile-response', 'captcha_token'],
]);

/** A field `__proto__` changes nothing: its value is text. */
function readFormFields(form: ReadonlyMap<string, string>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of form) fields[captchaFields.get(name) ?? name] = value;
  return fields;
}

export const asksForCaptcha = <Context>({ captcha }: Route<Context>, request: ApiRequest): boolean =>
  typeof captcha === 'function' ? captcha(request) : captcha === true;

export function methodNotAllowed(method: string, allowed: string): ApiError {
  return apiError('methodNotAllowed', { method, allowed }, { headers: { Allow: allowed } });
}

/** The error of a request that has reached its deadline. */
export const timeoutOf = ({ isBodyComplete }: Exchange): ApiError =>
  isBodyComplete ? apiError('requestTimeout', {}, { retryAfterSeconds: 1 }) : apiError('bodyTimeout');

/**
 * What a request waits for. Without its schema a server answers nothing, so that no client takes a part of it for the whole
 * (REL-30); quiet routes say how it is. @returns null or undefined once it is there
 */
export const startOf = <Context>(
  { isQuiet }: Exchange,
  { whenStarted }: Pick<EdgeOptions<Context>, 'whenStarted'>,
): Promise<void> | null | undefined => (isQuiet ? null : whenStarted?.());

/** Quiet routes, such as /health, also answer under overload (REL-06). @throws ApiError overloaded */
export function assertRoom({ isQuiet }: Exchange, serving: number, maxServing: number): void {
  if (serving > maxServing && !isQuiet) throw apiError('overloaded', {}, { retryAfterSeconds: 1 });
}
