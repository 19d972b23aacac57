/** What members of an organization cannot set of its OpenID providers: only administrators of the installation decide about it. */
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import type { App } from '../../runtime/app.js';
import { type GivenFields, invalid } from './fields.js';

/**
 * AUTH_OUTBOUND_PRIVATE_HOSTS opens private networks to administrators only. What one has set may stay.
 * @param before null: the provider is new
 * @throws ApiError invalidParameter
 */
export function assertMemberAddresses(
  { config }: Pick<App, 'config'>,
  given: GivenFields,
  before: Pick<CustomProviderRow, 'settings'> | null,
): void {
  for (const name of ['issuer', 'discovery_url'] as const) {
    const url = given[name]?.trim() ?? '';
    const isPrivate = URL.canParse(url) && config.outboundPrivateHosts.includes(new URL(url).hostname);
    if (isPrivate && url !== before?.settings[name])
      throw invalid(`${name} must not point to a private or local address`);
  }
}
