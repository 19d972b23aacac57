/** The first half of a sign-in: what the browser is sent to the provider with (reference/providers.md 1.1 and 1.3). */
import { createHash } from 'node:crypto';
import type { AuthorizationRequest } from './contract.js';

/** What the authorization URL of a provider is made of. */
export interface AuthorizationParts {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly ignoresScopes?: boolean | undefined;
  readonly usesPkce: boolean;
  /** Parameters of the provider's own. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly ignoresPassthrough?: boolean | undefined;
  /** Sends the nonce of the request along, unless the caller brought one. */
  readonly usesNonce: boolean;
}

/** What only we may say to the provider; compared in lower case. `request` and `request_uri` could say all of it again (RFC 9101). */
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
/** What is said to us alone. */
const OURS = new Set(['provider', 'scopes', 'redirect_to', 'invite_token', 'skip_http_redirect']);

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
  const scopes = parts.ignoresScopes ? parts.scopes : [...parts.scopes, ...splitScopes(request.scopes)];
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

function splitScopes(scopes: string): string[] {
  return scopes.split(',').filter((scope) => scope !== '');
}
