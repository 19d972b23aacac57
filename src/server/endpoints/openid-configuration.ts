import { apiError } from '../errors.js';
import type { Reply } from '../http/types.js';
import { discoveryDocument, isPathOfIssuer } from '../oauth/server-metadata.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import type { App } from '../runtime/app.js';
import { defineEndpoint } from './shared/define.js';

const CACHE = { 'Cache-Control': 'public, max-age=600, stale-while-revalidate=60' };

const discovery = {
  method: 'GET',
  caller: 'none',
  tag: 'Server',
  answers: { 200: { description: 'The document.', body: { type: 'object' } } },
} as const;

/**
 * OpenID Connect Discovery 1.0, 3. Gateways read jwks_uri and issuer from it, so it is also there without the
 * authorization server.
 */
export const getOpenidConfiguration = defineEndpoint({
  ...discovery,
  path: '/.well-known/openid-configuration',
  id: 'getOpenidConfiguration',
  summary: 'Returns the discovery document of the issuer of access tokens.',
  errors: ['databaseUnavailable'],
  handler: answer,
});

/** RFC 8414. Without the authorization server there is nothing to describe, and clients look elsewhere. */
const metadata = { ...discovery, assertOn: assertOauthServerOn } as const;

/** RFC 8414 3 */
export const getOauthMetadata = defineEndpoint({
  ...metadata,
  path: '/.well-known/oauth-authorization-server',
  id: 'getOauthMetadata',
  summary: 'Returns the same document, for OAuth clients.',
  errors: ['databaseUnavailable', 'oauthServerDisabled'],
  handler: answer,
});

/** RFC 8414 3.1: of an issuer with a path, which follows the well-known name. */
export const getOauthMetadataOfPath = defineEndpoint({
  ...metadata,
  path: '/.well-known/oauth-authorization-server/{path}',
  id: 'getOauthMetadataOfPath',
  summary: 'The same for an issuer with a path.',
  errors: ['databaseUnavailable', 'oauthServerDisabled', 'notFound'],
  handler: (app, { method, path, params }) => answerOfPath(app, method, path, params.path),
});

/** A path of two segments, as in https://example.com/auth/v1. */
export const getOauthMetadataOfLongPath = defineEndpoint({
  ...metadata,
  path: '/.well-known/oauth-authorization-server/{first}/{second}',
  id: 'getOauthMetadataOfLongPath',
  summary: 'The same for an issuer with a path of two segments.',
  errors: ['databaseUnavailable', 'oauthServerDisabled', 'notFound'],
  handler: (app, { method, path, params }) => answerOfPath(app, method, path, `${params.first}/${params.second}`),
});

async function answerOfPath(app: App, method: string, path: string, given: string): Promise<Reply> {
  if (!isPathOfIssuer(app, given)) throw apiError('notFound', { method, path });
  return answer(app);
}

async function answer(app: App): Promise<Reply> {
  await app.tokenKeys.ready?.();
  return { status: 200, json: discoveryDocument(app), headers: CACHE };
}
