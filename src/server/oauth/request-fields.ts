/** What clients ask for, at every endpoint that begins an authorization. */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { namesClient } from './document-client.js';
import { findResourceFault } from './resources.js';
import { readScopes } from './scopes.js';

/** An error that the client learns: by a redirect (RFC 6749 4.1.2.1), or in the answer. */
export class AuthorizeError extends Error {
  readonly error: string;

  /** @param error value of `error` */
  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** @throws AuthorizeError */
export function readRequestedScopes({ config, tokenKeys }: App, client: OauthClientRow, scope: string | undefined) {
  const read = readScopes(config, scope, client.scopes);
  if ('refused' in read) {
    const description = read.refused === '' ? 'no scope is left' : `unsupported scope: ${read.refused.slice(0, 100)}`;
    throw new AuthorizeError('invalid_scope', description);
  }
  if (read.scopes.includes('openid') && tokenKeys.accepted(Date.now()).signing.alg === 'HS256') {
    throw new AuthorizeError('invalid_scope', 'openid needs an asymmetric signing key');
  }
  return { scope: scope ?? config.oauthServerDefaultScope, scopes: read.scopes };
}

/** @param given all values. @throws AuthorizeError */
export async function readRequestedResources(
  app: Pick<App, 'config' | 'db'>,
  given: readonly string[],
): Promise<string[]> {
  const resources = [...new Set(given)];
  const fault = findResourceFault(app.config, resources);
  if (fault !== null) throw new AuthorizeError('invalid_target', fault);
  if (await namesClient(app, resources)) throw new AuthorizeError('invalid_target', 'resource is a client');
  return resources;
}

/** At an endpoint that answers the client itself. @throws ApiError authorizationRequestInvalid for an AuthorizeError */
export async function answeringErrors<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuthorizeError)) throw error;
    const extra = { error: error.error, error_description: error.message };
    throw apiError('authorizationRequestInvalid', { reason: error.message }, { extra });
  }
}
