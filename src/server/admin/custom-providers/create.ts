import {
  type CustomProviderRow,
  type CustomProviderType,
  countCustomProviders,
  findCustomProvider,
  insertCustomProvider,
} from '../../../db/custom-providers.js';
import { isUniqueViolation } from '../../../db/errors.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import { changerOfAdmin } from '../../organizations/locked-organization.js';
import {
  type GivenPlace,
  NO_ORGANIZATION,
  readProviderPlace,
  traitsOfPlace,
  writeInPlace,
} from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { assertFields, assertIdentifier, type GivenFields, invalid } from './fields.js';
import { describeCreated } from './history.js';
import { newProviderSettings } from './new-settings.js';
import { addressesOf, assertAddresses } from './provider-urls.js';
import { requireTools } from './read.js';

/** `provider_type` and `identifier` are as in the request. */
export interface NewProvider {
  readonly provider_type: string;
  readonly identifier: string;
  readonly fields: GivenFields & GivenPlace;
}

const REQUIRED = {
  oidc: ['name', 'client_id', 'client_secret', 'issuer'],
  oauth2: ['name', 'client_id', 'client_secret', 'authorization_url', 'token_url', 'userinfo_url'],
} as const;

/**
 * POST /admin/custom-providers.
 * @throws ApiError customProvidersDisabled, invalidParameter, overCustomProviderQuota, customProviderExists, in the order
 *   of docs/decisions.md, Order of checks; those of readProviderPlace() and writeInPlace()
 */
export async function createCustomProvider(
  app: App,
  requestId: string,
  admin: Administrator,
  given: NewProvider,
): Promise<CustomProviderRow> {
  const tools = requireTools(app);
  const type = readType(given.provider_type);
  assertRequired(type, given);
  assertIdentifier(given.identifier);
  assertFields(given.fields);
  const place = readProviderPlace(null, NO_ORGANIZATION, given.fields);
  const { customOauthMaxProviders: max } = app.config;
  if (max > 0 && (await countCustomProviders(app.db)) >= max) throw apiError('overCustomProviderQuota');
  const settings = newProviderSettings(type, given.fields);
  await assertAddresses(tools, settings, addressesOf(type));
  if ((await findCustomProvider(app.db, given.identifier)) !== undefined) throw apiError('customProviderExists');
  const document = type === 'oidc' ? await tools.discover(settings.issuer, settings.discovery_url) : null;

  const { id, sealed } = tools.seal(given.fields.client_secret!);
  const traits = { ...describeCreated(given.identifier, type, settings), ...traitsOfPlace(place) };
  const audit = [auditEntry(adminActor(admin), 'provider_created', traits)];
  const row = { id, identifier: given.identifier, provider_type: type, settings };
  const written = { ...row, sealed_secret: sealed, discovery_document: document, ...place };
  const changer = changerOfAdmin(admin, requestId);
  const stored = await writeInPlace(app, changer, place, null, (db) =>
    insertCustomProvider(db, written, max, storedAudit(app, audit)),
  ).catch((error: unknown) => {
    // Another request took the identifier in the meantime.
    if (isUniqueViolation(error)) throw apiError('customProviderExists');
    throw error;
  });
  if (stored === undefined) throw apiError('overCustomProviderQuota');
  logAudit(app, requestId, audit);
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
