/** Addresses of a client that this server calls later. */
import type { NewClient } from '../../db/oauth-clients.js';
import { apiError } from '../errors.js';
import { isPrivateName } from '../outbound/public-address.js';
import { isTrusted } from './client-identity.js';

const CALLED = ['jwks_uri', 'backchannel_logout_uri'] as const;

/**
 * Only clients of administrators may be at hosts that are not public, where OUTBOUND_PRIVATE_HOSTS lists them: others would never be
 * reached, so that is said when they come.
 * @param names of fields that are new; absent: all
 * @throws ApiError clientMetadataInvalid
 */
export function assertPublicHosts(
  client: Pick<NewClient, (typeof CALLED)[number] | 'registration' | 'organization_id'>,
  names?: readonly string[],
): void {
  if (isTrusted(client)) return;
  for (const name of CALLED) {
    const uri = client[name];
    if (uri === null || (names !== undefined && !names.includes(name)) || !isPrivateName(new URL(uri).hostname))
      continue;
    throw apiError('clientMetadataInvalid', { reason: `${name} must be at a host on the public internet` });
  }
}
