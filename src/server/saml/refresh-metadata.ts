/** Metadata that comes from an address is read again: identity providers change their certificates. */
import { claimMetadataRefresh, type RefreshableProvider, storeMetadataRefresh } from '../../db/sso-providers.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { acceptSamlMetadata } from './accept-metadata.js';

/** After a signature by an unknown key: anyone can send one. */
const MIN_SECONDS = 60;

/**
 * Reads the metadata again and stores it. Where it cannot be used, the stored copy stays, and the reason is stored.
 * @throws ApiError samlMetadataHasNoUrl, samlMetadataFetchFailed, samlMetadataFault, samlEntityIdMismatch
 */
export async function refreshMetadata(app: App, provider: RefreshableProvider): Promise<void> {
  const { id, metadata_url: url, entity_id: entityId } = provider;
  if (url === null) throw apiError('samlMetadataHasNoUrl');
  try {
    const xml = await app.samlMetadata.read(url);
    const metadata = await acceptSamlMetadata(app, xml);
    if (metadata.entity_id !== entityId) throw apiError('samlEntityIdMismatch', { expected: entityId });
    await storeMetadataRefresh(app.db, id, url, { xml, metadata });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) {
      await storeMetadataRefresh(app.db, id, url, { error: error.message });
    }
    throw error;
  }
}

/** At once, and at most once a minute; the person has to try again. Does not wait. */
export function refreshAfterUnknownKey(app: App, provider: RefreshableProvider): void {
  if (provider.metadata_url === null) return;
  void refreshIfDue(app, provider, MIN_SECONDS, 'a signature by an unknown key');
}

/** One of all threads and instances does it. @param seconds since the last try */
export async function refreshIfDue(
  app: App,
  provider: RefreshableProvider,
  seconds: number,
  reason: string,
): Promise<void> {
  const fields = { component: 'sso', provider: provider.id, reason };
  try {
    if (!(await claimMetadataRefresh(app.db, provider.id, seconds))) return;
    await refreshMetadata(app, provider);
    app.log.info(fields, 'The metadata of an identity provider was read again');
  } catch (error) {
    app.log.warn({ ...fields, error: (error as Error).message }, 'The metadata of an identity provider cannot be read');
  }
}
