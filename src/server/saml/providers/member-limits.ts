/** What members of an organization cannot set of its providers: only administrators of the installation decide about it. */
import type { SsoProviderRow } from '../../../db/sso-providers.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import type { GivenProvider } from './provider-fields.js';

/**
 * @param before null: the provider is new
 * @throws ApiError ssoFieldInvalid, samlMetadataUrlInvalid
 */
export function assertMemberMayGive(
  { config }: Pick<App, 'config'>,
  { metadata_url: url = '', attribute_mapping: mapping }: GivenProvider,
  before: SsoProviderRow | null,
): void {
  // AUTH_OUTBOUND_PRIVATE_HOSTS opens private networks to administrators only.
  if (URL.canParse(url) && config.outboundPrivateHosts.includes(new URL(url).hostname)) {
    throw apiError('samlMetadataUrlInvalid');
  }
  if (mapping !== undefined) assertNoTrustedClaims(mapping, before?.attribute_mapping ?? {});
}

type Mapping = Readonly<Record<string, unknown>>;

const claimsOf = (mapping: Mapping): Mapping => (mapping['keys'] ?? {}) as Mapping;

/** Applications may take app_metadata for the word of the installation. What an administrator has mapped there may stay. */
function assertNoTrustedClaims(mapping: Mapping, before: Mapping): void {
  const former = claimsOf(before);
  for (const [claim, entry] of Object.entries(claimsOf(mapping))) {
    const isTrusted = (entry as Mapping)['target'] === 'app_metadata';
    if (isTrusted && JSON.stringify(entry) !== JSON.stringify(former[claim])) {
      throw apiError('ssoFieldInvalid', { reason: 'only administrators map to app_metadata' });
    }
  }
}
