/** Builds the authorization URL that the browser is redirected to (RFC 6749 4.1.1). */
import { createHash } from 'node:crypto';
import type { AuthorizationRequest } from './contract.js';

/** The parts of an authorization URL. */
export interface AuthorizationParts {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly ignoresScopes?: boolean | undefined;
  readonly replacesScopes?: boolean | undefined;
  readonly usesPkce: boolean;
  /** Parameters of the provider's own. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly ignoresPassthrough?: boolean | undefined;
  /** Adds the nonce of the request, unless the client sent one. */
  readonly usesNonce: boolean;
}

/**
 * Parameters that clients cannot set; compared in lower case. `request` and `request_uri` could contain all others
 * (RFC 9101).
 */
const RESERVED = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'request',
  'request_uri',
]);
/** Parameters of /authorize, not passed on. */
const OURS = new Set(['provider', 'scopes', 'redirect_to', 'invite_token', 'latchkey_trace', 'skip_http_redirect']);

/** @returns the URL, and the nonce that an ID token must repeat */
export function buildAuthorizationUrl(
  parts: AuthorizationParts,
  request: AuthorizationRequest,
): { url: string; nonce: string } {
  const parameters = new Map<string, string>([
    ['response_type', 'code'],
    ['client_id', parts.clientId],
    ['redirect_uri', parts.redirectUri],
    ['state', request.state],
  ]);
  const scopes = chooseScopes(parts, splitScopes(request.scopes));
  if (scopes.length > 0) parameters.set('scope', scopes.join(' '));
  if (parts.usesPkce) {
    parameters.set('code_challenge', createHash('sha256').update(request.codeVerifier).digest('base64url'));
    parameters.set('code_challenge_method', 'S256');
  }
  if (parts.usesNonce) parameters.set('nonce', request.nonce);
  for (const [name, value] of Object.entries(parts.parameters ?? {})) parameters.set(name, value);
  if (!parts.ignoresPassthrough) {
    for (const [name, value] of request.parameters) {
      const lower = name.toLowerCase();
      if (RESERVED.has(lower) || OURS.has(lower) || (name === 'nonce' && value === '')) continue;
      parameters.set(lower === 'workos_provider' ? 'provider' : name, value);
    }
  }
  const query = new URLSearchParams([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)));
  const url = `${parts.endpoint}${parts.endpoint.includes('?') ? '&' : '?'}${query}`;
  return { url, nonce: parameters.get('nonce') ?? '' };
}

function chooseScopes(parts: AuthorizationParts, requested: readonly string[]): readonly string[] {
  if (parts.ignoresScopes || requested.length === 0) return parts.scopes;
  if (!parts.replacesScopes) return [...parts.scopes, ...requested];
  const replacing = requested.flatMap((scope) => scope.split(' ')).filter((scope) => scope !== '');
  // Without openid there would be no ID token (Core 3.1.2.1).
  return parts.usesNonce ? ['openid', ...replacing.filter((scope) => scope !== 'openid')] : replacing;
}

function splitScopes(scopes: string): string[] {
  return scopes.split(',').filter((scope) => scope !== '');
}
