/** What a client says of subjects (OpenID Connect Core 8). */
import type { NewClient } from '../../db/oauth-clients.js';
import { type ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** As sent; every field may be absent. */
export interface GivenSubjectFields {
  readonly subject_type?: string;
  readonly sector_identifier_uri?: string;
}

export type SubjectFields = Pick<NewClient, 'subject_type' | 'sector_identifier_uri'>;

export const usualSubjectFields: SubjectFields = { subject_type: 'public', sector_identifier_uri: null };

const MAX_URI = 2048;

const invalid = (reason: string): ApiError => apiError('clientMetadataInvalid', { reason });

/** Those fields that are present. @throws ApiError clientMetadataInvalid */
export function readSubjectFields({ config }: Pick<App, 'config'>, given: GivenSubjectFields): Partial<SubjectFields> {
  const { subject_type: type, sector_identifier_uri: uri } = given;
  if (type !== undefined && type !== 'public' && type !== 'pairwise') {
    throw invalid('subject_type must be public or pairwise');
  }
  if (type === 'pairwise' && config.oauthServerPairwiseSalt === '') {
    throw invalid('subject_type pairwise needs OAUTH_SERVER_PAIRWISE_SALT');
  }
  return {
    ...(type !== undefined && { subject_type: type }),
    ...(uri !== undefined && { sector_identifier_uri: uri === '' ? null : readSectorUri(uri) }),
  };
}

function readSectorUri(text: string): string {
  const url = text.length <= MAX_URI && URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' || text.includes('#') || url.username !== '' || url.password !== '') {
    throw invalid('sector_identifier_uri must be an https URL without fragment');
  }
  return text;
}
