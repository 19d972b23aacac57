import type { ApiRequest, Reply } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';

/** Verifiers may answer from an older copy while they fetch the new one. */
const STALE_SECONDS = 60;

/** RFC 7517. Symmetric keys are never listed; for their tokens clients call GET /user. */
export const getJwks = defineEndpoint({
  method: 'GET',
  path: '/.well-known/jwks.json',
  caller: 'none',
  id: 'getKeys',
  tag: 'Server',
  summary: 'Returns the public keys that verify access tokens.',
  answers: {
    200: { description: 'The keys.', body: 'JsonWebKeySet', headers: { ETag: 'Version of the set.' } },
    304: { description: 'The version of If-None-Match is current.' },
  },
  errors: ['databaseUnavailable'],
  async handler({ tokenKeys }, request): Promise<Reply> {
    // An empty set that is kept for ten minutes would have verifiers refuse every token.
    await tokenKeys.ready?.();
    const { body, etag, maxAgeSeconds } = tokenKeys.jwks(Date.now());
    const headers = {
      'Cache-Control': `public, max-age=${maxAgeSeconds}, stale-while-revalidate=${STALE_SECONDS}`,
      ETag: etag,
    };
    return hasVersion(request, etag)
      ? { status: 304, headers, isForAnyOrigin: true }
      : { status: 200, json: body, headers, isForAnyOrigin: true };
  },
});

/** If-None-Match compares weakly (RFC 9110 13.1.2). */
function hasVersion(request: Pick<ApiRequest, 'headerValues'>, etag: string): boolean {
  const asked = request.headerValues('if-none-match').flatMap((value) => value.split(','));
  return asked.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
