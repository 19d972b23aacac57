import {
  type CustomProviderRow,
  type CustomProviderSettings,
  deleteCustomProvider,
  updateCustomProvider,
} from '../../../db/custom-providers.js';
import { auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import { allJoiningRoles } from '../../organizations/joining-roles.js';
import { assertMayWriteProvider, type ProviderManager, removeManaged } from '../../organizations/provider-manager.js';
import { type GivenPlace, readProviderPlace, traitsOfPlace, writeInPlace } from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { assertFields, type GivenFields } from './fields.js';
import { describeChanges } from './history.js';
import { assertMemberAddresses } from './member-addresses.js';
import { addressesOf, assertAddresses, scopesOf } from './provider-urls.js';
import { requireTools } from './read.js';

/** Empty text keeps the value. discovery_url can be emptied, since its place then follows from the issuer. */
const KEPT_WHEN_EMPTY: readonly string[] = [
  ...['name', 'client_id', 'issuer', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'],
];
const ATTEMPTS = 4;

/**
 * PUT /admin/custom-providers/{identifier} and /organizations/{id}/sso/{provider_id}. Type and identifier cannot be changed.
 * @param read the row as it is now
 * @throws ApiError customProvidersDisabled, customProviderNotFound, invalidParameter, and those of readProviderPlace(),
 *   writeInPlace() and assertMayWriteProvider()
 */
export async function changeCustomProvider(
  app: App,
  manager: ProviderManager,
  read: () => Promise<CustomProviderRow>,
  given: GivenFields & GivenPlace,
): Promise<CustomProviderRow> {
  const tools = requireTools(app);
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const row = await read();
    assertFields(given);
    const place = readProviderPlace(manager.organizationId, row, given);
    if (manager.organizationId !== null) assertMemberAddresses(app, given, row);
    const settings = merge(row, given);
    const addresses = addressesOf(row.provider_type).filter((name) => given[name]);
    await assertAddresses(tools, settings, addresses);
    const isDiscoveryGiven = given.issuer !== undefined || given.discovery_url !== undefined;
    const document =
      row.provider_type === 'oidc' && isDiscoveryGiven
        ? await tools.discover(settings.issuer, settings.discovery_url)
        : row.discovery_document;

    const { client_secret: secret = '' } = given;
    const changes = describeChanges(row.identifier, row.settings, settings, secret !== '');
    const traits = { ...changes, ...traitsOfPlace(place) };
    const audit = [auditEntry(manager.changer.actor, 'provider_updated', traits)];
    const sealed_secret = secret === '' ? row.sealed_secret : tools.reseal(row.id, secret);
    const { id, version } = row;
    const written = { id, version, settings, sealed_secret, discovery_document: document, ...place };
    const isOtherWord = secret !== '' || hasOtherWord(row.settings, settings);
    const changed = await writeInPlace(
      app,
      manager.changer,
      place,
      row,
      (db) => updateCustomProvider(db, written, storedAudit(app, audit)),
      (statements, locked) =>
        assertMayWriteProvider(statements, locked, allJoiningRoles(place), row.identifier, isOtherWord),
    );
    if (changed === undefined) continue;
    logAudit(app, manager.changer.requestId, audit);
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

/** What decides who signs in there as whom: all but how it is called, and whether it is enabled. */
const hasOtherWord = (before: CustomProviderSettings, after: CustomProviderSettings): boolean => {
  const word = ({ name: _name, enabled: _enabled, ...rest }: CustomProviderSettings) => JSON.stringify(rest);
  return word(before) !== word(after);
};

/**
 * DELETE of the same. Accounts keep their identities.
 * @throws ApiError customProvidersDisabled, customProviderNotFound, and those of removeManaged()
 */
export async function removeCustomProvider(
  app: App,
  manager: ProviderManager,
  { identifier, ...place }: Pick<CustomProviderRow, 'identifier' | 'organization_id' | 'roles' | 'role_mapping'>,
): Promise<void> {
  requireTools(app);
  const traits = { identifier, ...traitsOfPlace(place) };
  const audit = [auditEntry(manager.changer.actor, 'provider_deleted', traits)];
  const isDeleted = await removeManaged(app, manager, (statements) =>
    deleteCustomProvider(statements, identifier, manager.organizationId, storedAudit(app, audit)),
  );
  if (!isDeleted) throw apiError('customProviderNotFound');
  logAudit(app, manager.changer.requestId, audit);
}
