import type { SamlMetadata } from '../../workers/saml-wire.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { findMetadataFault } from './metadata-faults.js';

/**
 * What sign-ins need of metadata.
 * @param xml as an administrator sent it, or as it was fetched
 * @throws ApiError samlMetadataFault
 */
export async function acceptSamlMetadata({ crypto }: Pick<App, 'crypto'>, xml: string): Promise<SamlMetadata> {
  const metadata = await crypto.readSamlMetadata(xml);
  const fault = findMetadataFault(metadata, Date.now());
  if (fault !== null) throw apiError('samlMetadataFault', { fault });
  return metadata as SamlMetadata;
}
