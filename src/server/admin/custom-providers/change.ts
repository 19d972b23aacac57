import {
  type CustomProviderRow,
  type CustomProviderSettings,
  deleteCustomProvider,
  updateCustomProvider,
} from '../../../db/custom-providers.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import { changerOfAdmin } from '../../organizations/locked-organization.js';
import { type GivenPlace, readProviderPlace, traitsOfPlace, writeInPlace } from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { assertFields, type GivenFields } from './fields.js';
import { describeChanges } from './history.js';
import { addressesOf, assertAddresses, scopesOf } from './provider-urls.js';
import { readCustomProvider, requireTools } from './read.js';

/** Empty text keeps the value. discovery_url can be emptied, since its place then follows from the issuer. */
const KEPT_WHEN_EMPTY: readonly string[] = [
  ...['name', 'client_id', 'issuer', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'],
];
const ATTEMPTS = 4;

/**
 * PUT /admin/custom-providers/{identifier}. Type and identifier cannot be changed.
 * @throws ApiError customProvidersDisabled, customProviderNotFound, invalidParameter, and those of readProviderPlace() and
 *   writeInPlace()
 */
export async function changeCustomProvider(
  app: App,
  requestId: string,
  admin: Administrator,
  identifier: string,
  given: GivenFields & GivenPlace,
): Promise<CustomProviderRow> {
  const tools = requireTools(app);
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const row = await readCustomProvider(app, identifier);
    assertFields(given);
    const place = readProviderPlace(null, row, given);
    const settings = merge(row, given);
    const addresses = addressesOf(row.provider_type).filter((name) => given[name]);
    await assertAddresses(tools, settings, addresses);
    const isDiscoveryGiven = given.issuer !== undefined || given.discovery_url !== undefined;
    const document =
      row.provider_type === 'oidc' && isDiscoveryGiven
        ? await tools.discover(settings.issuer, settings.discovery_url)
        : row.discovery_document;

    const { client_secret: secret = '' } = given;
    const changes = describeChanges(identifier, row.settings, settings, secret !== '');
    const traits = { ...changes, ...traitsOfPlace(place) };
    const audit = [auditEntry(adminActor(admin), 'provider_updated', traits)];
    const sealed_secret = secret === '' ? row.sealed_secret : tools.reseal(row.id, secret);
    const { id, version } = row;
    const written = { id, version, settings, sealed_secret, discovery_document: document, ...place };
    const changed = await writeInPlace(app, changerOfAdmin(admin, requestId), place, row, (db) =>
      updateCustomProvider(db, written, storedAudit(app, audit)),
    );
    if (changed === undefined) continue;
    logAudit(app, requestId, audit);
    return changed;
  }
  throw apiError('unexpectedFailure', {}, { cause: new Error('the provider kept changing') });
}

function merge({ provider_type: type, settings }: CustomProviderRow, given: GivenFields): CustomProviderSettings {
  const addresses: readonly string[] = [
    'issuer',
    'discovery_url',
    'authorization_url',
    'token_url',
    'userinfo_url',
    'jwks_uri',
  ];
  const own: readonly string[] = addressesOf(type);
  const merged: Record<string, unknown> = { ...settings };
  for (const name of Object.keys(settings)) {
    const value = given[name as keyof CustomProviderSettings];
    if (value === undefined || (addresses.includes(name) && !own.includes(name))) continue;
    const text = typeof value === 'string' ? value.trim() : null;
    if (text === '' && KEPT_WHEN_EMPTY.includes(name)) continue;
    merged[name] = addresses.includes(name) ? text : value;
  }
  const all = merged as unknown as CustomProviderSettings;
  return {
    ...all,
    scopes: scopesOf(type, all.scopes),
    skip_nonce_check: type === 'oidc' && all.skip_nonce_check,
  };
}

/**
 * DELETE /admin/custom-providers/{identifier}. Accounts keep their identities.
 * @throws ApiError customProvidersDisabled, customProviderNotFound
 */
export async function removeCustomProvider(
  app: App,
  requestId: string,
  admin: Administrator,
  identifier: string,
): Promise<void> {
  requireTools(app);
  const audit = [auditEntry(adminActor(admin), 'provider_deleted', { identifier })];
  const isDeleted = await deleteCustomProvider(app.db, identifier, storedAudit(app, audit));
  if (!isDeleted) throw apiError('customProviderNotFound');
  logAudit(app, requestId, audit);
}
