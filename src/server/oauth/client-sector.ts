/** The sector of a client with pairwise subjects (OpenID Connect Core 8.1, Dynamic Client Registration 1.0, 5). */
import type { NewClient, OauthClientRow } from '../../db/oauth-clients.js';
import { type ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { DEVICE_GRANT } from './client-fields.js';
import { isTrusted } from './client-identity.js';
import type { SubjectFields } from './client-subject-fields.js';
import { sectorOf } from './subject.js';

const invalid = (reason: string): ApiError => apiError('clientMetadataInvalid', { reason });

type SectorClient = SubjectFields &
  Pick<NewClient, 'redirect_uris' | 'grant_types' | 'registration' | 'organization_id'>;

/**
 * The sector is that of the client: its redirect URIs prove that, since codes go there and nowhere else. Reads
 * sector_identifier_uri, so it is called before anything is written.
 * @throws ApiError clientMetadataInvalid, overloaded
 */
export async function assertSector(app: Pick<App, 'clientDocuments'>, client: SectorClient): Promise<void> {
  const { subject_type: type, sector_identifier_uri: uri, redirect_uris: redirects } = client;
  if (uri !== null) await assertListed(app, uri, redirects);
  if (type === 'public') return;
  if (!isTrusted(client) && client.grant_types.includes(DEVICE_GRANT)) {
    throw invalid('subject_type pairwise with the grant of devices is for clients that an administrator adds');
  }
  if (uri !== null) return;
  const urls = redirects.map((one) => new URL(one));
  const isOneHost = new Set(urls.map(({ hostname }) => hostname)).size === 1;
  if (!isOneHost || urls.some(({ protocol }) => protocol !== 'https:')) {
    throw invalid('subject_type pairwise needs sector_identifier_uri, or https redirect_uris of one host');
  }
}

async function assertListed(
  { clientDocuments }: Pick<App, 'clientDocuments'>,
  uri: string,
  redirects: readonly string[],
): Promise<void> {
  const document = await clientDocuments.readList(uri);
  if ('fault' in document) {
    if (document.fault === 'busy') throw apiError('overloaded');
    throw invalid(
      document.fault === 'noJson'
        ? 'sector_identifier_uri has no JSON list of texts'
        : 'sector_identifier_uri cannot be read',
    );
  }
  if (redirects.some((one) => !document.texts.includes(one))) {
    throw invalid('sector_identifier_uri does not list all redirect_uris');
  }
}

/**
 * Users would be others to the client; and one that could choose another sector later would learn who they are there.
 * @throws ApiError clientMetadataInvalid
 */
export function assertSameSector(before: OauthClientRow, after: OauthClientRow): void {
  if (after.subject_type !== before.subject_type) throw invalid('subject_type cannot be changed');
  if (before.subject_type === 'pairwise' && sectorOf(after) !== sectorOf(before)) {
    throw invalid('The sector cannot be changed: that of sector_identifier_uri, else of redirect_uris');
  }
}
