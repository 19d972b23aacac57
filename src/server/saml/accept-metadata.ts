import type { SamlMetadata } from '../../workers/saml-wire.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/**
 * What sign-ins need of metadata.
 * @param xml as an administrator sent it, or as it was fetched
 * @throws ApiError samlMetadataFault
 */
export async function acceptSamlMetadata({ crypto }: Pick<App, 'crypto'>, xml: string): Promise<SamlMetadata> {
  const metadata = await crypto.readSamlMetadata(xml);
  if ('fault' in metadata) throw apiError('samlMetadataFault', { fault: metadata.fault });
  const now = Date.now();
  if (metadata.valid_until !== null && Date.parse(metadata.valid_until) <= now) {
    throw apiError('samlMetadataFault', { fault: `has expired: it was valid until ${metadata.valid_until}` });
  }
  if (!metadata.certificates.some(({ not_after }) => Date.parse(not_after) > now)) {
    throw apiError('samlMetadataFault', { fault: 'contains only certificates that have expired' });
  }
  return metadata;
}
