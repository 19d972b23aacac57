import { json, type Reply } from '../http/types.js';

/**
 * GET /.well-known/jwks.json (RFC 7517): the public keys that verify access tokens. Symmetric keys are never listed,
 * and HS256 is the only algorithm there is, so the set is empty and clients ask GET /user instead.
 */
export function jwks(): Reply {
  return json({ keys: [] }, 200, { 'Cache-Control': 'public, max-age=600' });
}
