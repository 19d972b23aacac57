import type { SamlMetadata } from '../../../workers/saml-wire.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { acceptSamlMetadata } from '../accept-metadata.js';
import { assertMetadataUrl, type GivenProvider } from './provider-fields.js';

export interface ReadMetadata {
  readonly xml: string;
  readonly url: string | null;
  readonly metadata: SamlMetadata;
}

/**
 * The metadata that an administrator sent or named.
 * @returns null: neither
 * @throws ApiError samlMetadataTwice, samlMetadataUrlInvalid, samlMetadataUrlPlain, samlMetadataFetchFailed,
 *   samlMetadataFault
 */
export async function readGivenMetadata(app: App, given: GivenProvider): Promise<ReadMetadata | null> {
  const { metadata_xml: xml = '', metadata_url: url = '' } = given;
  if (xml !== '' && url !== '') throw apiError('samlMetadataTwice');
  if (xml !== '') return { xml, url: null, metadata: await acceptSamlMetadata(app, xml) };
  if (url === '') return null;
  assertMetadataUrl(url, app.config.outboundPrivateHosts);
  const fetched = await app.samlMetadata.read(url);
  return { xml: fetched, url, metadata: await acceptSamlMetadata(app, fetched) };
}
