/** Tokens of provisioning: made, listed, ended. Whoever has one decides who is in the organization, or at the provider. */
import {
  insertScimToken,
  listScimTokens,
  lockScimScope,
  removeScimToken,
  type ScimPlace,
  type ScimTokenRow,
} from '../../db/scim-tokens.js';
import type { Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { type Actor, type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { DEFAULT_ROLES } from '../organizations/change-members.js';
import { readOrganization, readOwnOrganization } from '../organizations/change-organization.js';
import { changerOfAdmin, changerOfUser, withLockedOrganization } from '../organizations/locked-organization.js';
import { OWNER } from '../organizations/role-catalog.js';
import { assertMayGive, assertMayProvision, isAllowed } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import { readSsoProvider } from '../saml/providers/find-sso-provider.js';
import type { UserCaller } from '../sessions/caller.js';
import { hashTokenText, makeTokenText } from './token-text.js';

/** One in use and its successor. */
export const MOST_TOKENS = 2;
export const MAX_TOKEN_NAME = 120;

/** As sent; every field may be absent. */
export interface GivenToken {
  readonly name?: string | undefined;
  readonly expires_at?: string | undefined;
}

/** What a token may do: no more than its maker. */
export interface TokenReach {
  readonly reachesOwners: boolean;
  /** Roles; null: all. */
  readonly mayGive: readonly string[] | null;
}

const ALL: TokenReach = { reachesOwners: true, mayGive: null };

/** Who manages the tokens of what. */
export interface TokenManager {
  readonly place: ScimPlace;
  readonly actor: Actor;
  readonly requestId: string;
  /** Runs work in a transaction in which the rules have admitted it, with what the tokens may do. */
  readonly within: <Result>(work: (statements: Statements, reach: TokenReach) => Promise<Result>) => Promise<Result>;
}

const scopeIdOf = ({ providerId, organizationId }: ScimPlace): string => providerId ?? organizationId;

/** @param pathId id of the provider, or resource_ and its resource_id. @throws ApiError ssoIdentityProviderNotFound */
export async function tokensOfProvider(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
): Promise<TokenManager> {
  const { id } = await readSsoProvider(app, pathId);
  return {
    place: { providerId: id, organizationId: null },
    actor: adminActor(admin),
    requestId,
    within: (work) => app.db.transaction((statements) => work(statements, ALL)),
  };
}

/**
 * Also for pages.
 * @param pathId of the organization
 * @throws ApiError organizationNotFound, organizationPermissionMissing, and those of the policies of the organization
 */
export async function tokensOfOrganization(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
): Promise<TokenManager> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'scim:manage');
  return {
    place: { providerId: null, organizationId: id },
    actor: caller.user,
    requestId,
    within: (work) =>
      withLockedOrganization(app, changerOfUser(caller, requestId), id, null, (statements, { catalog, standing }) => {
        assertMayProvision(catalog, standing, DEFAULT_ROLES);
        if (standing.kind === 'administrator' || standing.roles.includes(OWNER)) return work(statements, ALL);
        const mayGive = [...catalog.names].filter((role) => isAllowed(() => assertMayGive(catalog, standing, [role])));
        return work(statements, { reachesOwners: false, mayGive });
      }),
  };
}

/** The same for the console. @throws ApiError organizationNotFound */
export async function tokensOfAnyOrganization(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
): Promise<TokenManager> {
  const { id } = await readOrganization(app, pathId);
  return {
    place: { providerId: null, organizationId: id },
    actor: adminActor(admin),
    requestId,
    within: (work) =>
      withLockedOrganization(app, changerOfAdmin(admin, requestId), id, null, (statements) => work(statements, ALL)),
  };
}

/** Without their texts. Oldest first. */
export const readTokens = async (app: App, { place }: TokenManager) =>
  (await listScimTokens(app.db, scopeIdOf(place))).map(viewToken);

/** @throws ApiError tooManyScimTokens, scimTokenFieldInvalid, ssoIdentityProviderNotFound, and those of the manager's rules */
export async function addToken(app: App, manager: TokenManager, given: GivenToken) {
  const { place, actor, requestId } = manager;
  const { name, expiresAt } = readGiven(given);
  const token = makeTokenText();
  const traits = { ...traitsOf(place), name };
  const audit = [auditEntry(actor, 'scim_token_created', traits)];
  const row = await manager.within(async (statements, reach) => {
    if (!(await lockScimScope(statements, place))) throw apiError('ssoIdentityProviderNotFound');
    const hash = hashTokenText(app.keys.scimToken.current, token);
    const added = { scopeId: scopeIdOf(place), name, hash, ...reach, expiresAt };
    return insertScimToken(statements, added, MOST_TOKENS, storedAudit(app, audit));
  });
  if (row === undefined) throw apiError('tooManyScimTokens', { limit: MOST_TOKENS });
  logAudit(app, requestId, audit);
  return { ...viewToken(row), token };
}

/** It ends at once. @throws ApiError scimTokenNotFound, and those of the manager's rules */
export async function endToken(app: App, manager: TokenManager, tokenId: string): Promise<void> {
  const { place, actor, requestId } = manager;
  const id = readUuid(tokenId);
  if (id === null) throw apiError('scimTokenNotFound');
  const audit = [auditEntry(actor, 'scim_token_deleted', { ...traitsOf(place), token_id: id })];
  const isGone = await manager.within((statements) =>
    removeScimToken(statements, scopeIdOf(place), id, storedAudit(app, audit)),
  );
  if (!isGone) throw apiError('scimTokenNotFound');
  logAudit(app, requestId, audit);
}

const traitsOf = ({ providerId, organizationId }: ScimPlace) =>
  providerId === null ? { organization_id: organizationId } : { sso_provider_id: providerId };

function readGiven({ name = '', expires_at: given = '' }: GivenToken) {
  const trimmed = name.trim();
  if (trimmed.length > MAX_TOKEN_NAME)
    throw apiError('scimTokenFieldInvalid', { reason: `name may have ${MAX_TOKEN_NAME} characters` });
  if (given === '') return { name: trimmed, expiresAt: null };
  const time = /^\d{4}-\d\d-\d\dT/.test(given) ? Date.parse(given) : Number.NaN;
  if (!(time > Date.now())) throw apiError('scimTokenFieldInvalid', { reason: 'expires_at must be a time to come' });
  return { name: trimmed, expiresAt: new Date(time).toISOString() };
}

/** What is said of a token; its text only where it is made. */
export const viewToken = ({ id, name, created_at, expires_at, last_used_at }: ScimTokenRow) => ({
  id,
  name,
  created_at,
  expires_at,
  last_used_at,
});
