/** Answers as far as their endpoint decides: headers, pages of those that answer browsers, errors. */
import type { ApiError } from '../errors.js';
import { type ErrorForm, shapeError } from './challenge.js';
import { corsHeaders, VARY_ORIGIN } from './cors.js';
import type { Exchange } from './exchange.js';
import { type Answer, renderError, renderReply } from './reply.js';
import type { Match } from './router.js';
import type { RuleSet } from './rule-set.js';
import { renderScimError, SCIM_PLACE } from './scim-error.js';
import type { ApiRequest, Route } from './types.js';

/**
 * The headers of an answer that follow from its request alone. Pages and provisioning have no CORS headers: only their own origin may
 * read them.
 * @param ownHeaders of an edge that no other origin may read
 */
export function headOf(exchange: Exchange, ownHeaders?: readonly string[]): readonly string[] {
  const isOpen = exchange.errorPage === null && exchange.errorForm !== 'scim';
  const cors = ownHeaders ?? (isOpen ? corsHeaders(exchange.method, exchange.header('origin')) : VARY_ORIGIN);
  return exchange.addedHeaders === null ? cors : [...cors, ...exchange.addedHeaders];
}

/** Whether a path is for its own origin only. Its preflight is refused. */
function isOwn<Context>(match: Match<Context> | null): boolean {
  for (const { route } of match?.methods.values() ?? []) {
    if (route.errorPage !== undefined || route.scimErrors === true) return true;
  }
  return false;
}

/** Of a request that is refused before its endpoint is known, as is one with another method, or a body over the limit. */
export function errorFormOfPath<Context>(exchange: Exchange, match: Match<Context> | null): ErrorForm {
  if (match === null) return exchange.rawPath.startsWith(SCIM_PLACE) ? 'scim' : 'plain';
  for (const { route } of match.methods.values()) return route.scimErrors === true ? 'scim' : 'plain';
  return 'plain';
}

/** @param wanted Access-Control-Request-Method */
export const preflightHeaders = <Context>(
  exchange: Exchange,
  match: Match<Context> | null,
  preflight: RuleSet<Context>['preflight'],
  wanted: string,
): readonly string[] => {
  const origin = isOwn(match) ? undefined : exchange.header('origin');
  return preflight(origin, wanted, exchange.header('access-control-request-headers'));
};

/** @returns what renders an API error of the request as a page; null: it is answered as JSON */
export function errorPageOf<Context>(
  { errorPage }: Route<Context>,
  context: Context,
  request: ApiRequest,
): Exchange['errorPage'] {
  return errorPage === undefined ? null : (error) => errorPage(context, request, error);
}

/** @returns null where the endpoint has no page for errors, or the page fails itself, e.g. without a database */
export async function renderErrorPage(exchange: Exchange, error: ApiError): Promise<Answer | null> {
  if (exchange.errorPage === null || exchange.isOver) return null;
  try {
    const { headers = {}, ...reply } = await exchange.errorPage(error);
    const retry = error.retryAfterSeconds;
    const wait = retry === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retry))) };
    return renderReply({ ...reply, headers: { ...headers, ...wait, ...error.headers } }, headOf(exchange));
  } catch {
    return null;
  }
}

/** The API error in the form of its endpoint and of the version that the request asks for. */
export function renderErrorJson(exchange: Exchange, error: ApiError, ownHeaders?: readonly string[]): Answer {
  const version = exchange.header('x-supabase-api-version');
  if (exchange.errorForm === 'scim') return renderScimError(error, headOf(exchange, ownHeaders));
  return renderError(shapeError(exchange, error), version, exchange.id, headOf(exchange, ownHeaders));
}
