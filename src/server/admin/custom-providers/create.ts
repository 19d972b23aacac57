import {
  type CustomProviderRow,
  type CustomProviderType,
  countCustomProviders,
  findCustomProvider,
  insertCustomProvider,
} from '../../../db/custom-providers.js';
import { isUniqueViolation } from '../../../db/errors.js';
import { auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import { allJoiningRoles } from '../../organizations/joining-roles.js';
import { assertMayWriteProvider, type ProviderManager } from '../../organizations/provider-manager.js';
import {
  type GivenPlace,
  NO_ORGANIZATION,
  readProviderPlace,
  traitsOfPlace,
  writeInPlace,
} from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { assertFields, assertIdentifier, type GivenFields, invalid, ownIdentifierOf } from './fields.js';
import { describeCreated } from './history.js';
import { assertMemberAddresses } from './member-addresses.js';
import { newProviderSettings } from './new-settings.js';
import { addressesOf, assertAddresses } from './provider-urls.js';
import { requireTools } from './read.js';

/** `provider_type` and `identifier` are as in the request. */
export interface NewProvider {
  readonly provider_type: string;
  /** Null: one that no one chooses, since it is the name of the provider for the whole installation. */
  readonly identifier: string | null;
  readonly fields: GivenFields & GivenPlace;
}

const REQUIRED = {
  oidc: ['name', 'client_id', 'client_secret', 'issuer'],
  oauth2: ['name', 'client_id', 'client_secret', 'authorization_url', 'token_url', 'userinfo_url'],
} as const;

/**
 * POST /admin/custom-providers and /organizations/{id}/sso.
 * @throws ApiError customProvidersDisabled, invalidParameter, overCustomProviderQuota, customProviderExists, in the order
 *   of docs/decisions.md, Order of checks; those of readProviderPlace(), writeInPlace() and assertMayWriteProvider()
 */
export async function createCustomProvider(
  app: App,
  manager: ProviderManager,
  given: NewProvider,
): Promise<CustomProviderRow> {
  const tools = requireTools(app);
  const type = readType(given.provider_type);
  assertRequired(type, given);
  if (given.identifier !== null) assertIdentifier(given.identifier);
  assertFields(given.fields);
  const place = readProviderPlace(manager.organizationId, NO_ORGANIZATION, given.fields);
  if (manager.organizationId !== null) assertMemberAddresses(app, given.fields, null);
  // Members add theirs, within a limit of each organization: they use up nothing of what administrators may add.
  const max = place.organization_id === null ? app.config.customOauthMaxProviders : 0;
  if (max > 0 && (await countCustomProviders(app.db)) >= max) throw apiError('overCustomProviderQuota');
  const settings = newProviderSettings(type, given.fields);
  await assertAddresses(tools, settings, addressesOf(type));
  const { id, sealed } = tools.seal(given.fields.client_secret!);
  const identifier = given.identifier ?? ownIdentifierOf(id);
  if ((await findCustomProvider(app.db, identifier)) !== undefined) throw apiError('customProviderExists');
  const document = type === 'oidc' ? await tools.discover(settings.issuer, settings.discovery_url) : null;

  const traits = { ...describeCreated(identifier, type, settings), ...traitsOfPlace(place) };
  const audit = [auditEntry(manager.changer.actor, 'provider_created', traits)];
  const row = { id, identifier, provider_type: type, settings };
  const written = { ...row, sealed_secret: sealed, discovery_document: document, ...place };
  const stored = await writeInPlace(
    app,
    manager.changer,
    place,
    null,
    (db) => insertCustomProvider(db, written, max, storedAudit(app, audit)),
    (statements, locked) => assertMayWriteProvider(statements, locked, allJoiningRoles(place), null, true),
  ).catch((error: unknown) => {
    // Another request took the identifier in the meantime.
    if (isUniqueViolation(error)) throw apiError('customProviderExists');
    throw error;
  });
  if (stored === undefined) throw apiError('overCustomProviderQuota');
  logAudit(app, manager.changer.requestId, audit);
  return stored;
}

function readType(type: string): CustomProviderType {
  if (type === 'oauth2' || type === 'oidc') return type;
  throw invalid('provider_type must be oauth2 or oidc');
}

function assertRequired(type: CustomProviderType, { identifier, fields }: NewProvider): void {
  const missing = REQUIRED[type].find((name) => !fields[name]?.trim());
  if (identifier === '') throw invalid('identifier is required');
  if (missing !== undefined) throw invalid(`${missing} is required`);
}
