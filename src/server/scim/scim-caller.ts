/** Who provisions: the holder of a token of an identity provider or an organization. */
import { findScimToken, noteScimTokenUse } from '../../db/scim-tokens.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { hashTokenText, isTokenText } from './token-text.js';

/** What a token may reach: the people and groups of its scope. */
export interface ScimCaller {
  readonly tokenId: string;
  readonly tokenName: string;
  /** That of the provider or organization. */
  readonly scopeId: string;
  /** Null: the token is that of an organization. */
  readonly providerId: string | null;
  /** Whose members the people are; null: of none. */
  readonly organizationId: string | null;
  /** Also where organizations are off: the provider vouches for the domains of its organization only. */
  readonly isOfOrganization: boolean;
  /** It may end owners of the organization. */
  readonly reachesOwners: boolean;
  /** The roles that the maker of the token could give; null: all. */
  readonly mayGive: readonly string[] | null;
}

/** @throws ApiError scimTokenInvalid, overRequestRate */
export async function authenticateScim(
  { config, db, keys, limits, log }: Pick<App, 'config' | 'db' | 'keys' | 'limits' | 'log'>,
  token: string,
): Promise<ScimCaller> {
  if (!isTokenText(token)) throw apiError('scimTokenInvalid');
  const hashes = keys.scimToken.accepted(Date.now()).map((key) => hashTokenText(key, token));
  const row = await findScimToken(db, hashes);
  // Tokens of organizations end where organizations do.
  if (row === undefined || (row.provider_id === null && !config.organizationsEnabled))
    throw apiError('scimTokenInvalid');
  await limits.takeForToken(row.id);
  if (!row.is_use_known) {
    noteScimTokenUse(db, row.id).catch((error: Error) => {
      log.warn({ component: 'scim', error: error.message }, 'The last use of a SCIM token was not noted');
    });
  }
  return {
    tokenId: row.id,
    tokenName: row.name,
    scopeId: row.scope_id,
    providerId: row.provider_id,
    organizationId: config.organizationsEnabled ? row.organization_id : null,
    isOfOrganization: row.organization_id !== null,
    reachesOwners: row.reaches_owners,
    mayGive: row.may_give,
  };
}
