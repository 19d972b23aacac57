/** What the forms of /ui/account/organizations/{id}/sso do. */
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import type { MappedRoles, SsoProviderRow } from '../../../db/sso-providers.js';
import { changeCustomProvider, removeCustomProvider } from '../../admin/custom-providers/change.js';
import { createCustomProvider } from '../../admin/custom-providers/create.js';
import { customProviderReader, findCustomProviderOf } from '../../admin/custom-providers/of-organization.js';
import {
  managerOfOrganization,
  type OrganizationManager,
  raisedManagerOfOrganization,
} from '../../organizations/provider-manager.js';
import { changeSsoProvider, refreshSsoProvider, removeSsoProvider } from '../../saml/providers/change-sso-provider.js';
import { createSsoProvider } from '../../saml/providers/create-sso-provider.js';
import { readManagedProvider } from '../../saml/providers/managed-provider.js';
import type { GivenProvider } from '../../saml/providers/provider-fields.js';
import type { AccountVisit, Done } from '../account/account-visit.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { organizationLink } from './organization-place.js';
import { submitToOrganization } from './organization-visit.js';

/** @throws ApiError those of saml/providers and admin/custom-providers */
export const submitSso = (visit: Visit): Promise<PageOutcome> =>
  submitToOrganization(visit, 'sso', async (opened, id) => {
    const done = await submit(opened, id, visit.form.get('entry_id') ?? '');
    return { to: organizationLink(visit, id, 'sso', done) };
  });

async function submit(visit: AccountVisit, organizationId: string, providerId: string): Promise<Done | undefined> {
  const { app, caller, client, form: sent } = visit;
  if (sent.get('action') === 'refresh') {
    const reader = await managerOfOrganization(app, client.requestId, caller, organizationId);
    await refreshSsoProvider(app, reader, providerId);
    return 'saved';
  }
  const manager = await raisedManagerOfOrganization(app, client.requestId, caller, organizationId);
  switch (sent.get('action')) {
    case 'add':
      await createSsoProvider(app, manager, 'saml', readSent(visit));
      return 'added';
    case 'add_openid':
      await createCustomProvider(app, manager, { provider_type: 'oidc', identifier: null, fields: readOpenid(visit) });
      return 'added';
    default: {
      const openid = await findCustomProviderOf(app, manager, providerId);
      return openid === undefined ? changeSaml(visit, manager, providerId) : changeOpenid(visit, manager, openid);
    }
  }
}

async function changeSaml(
  visit: AccountVisit,
  manager: OrganizationManager,
  providerId: string,
): Promise<Done | undefined> {
  const { app, form: sent } = visit;
  const row = await readManagedProvider(app, manager, providerId);
  if (sent.get('action') === 'remove') {
    await removeSsoProvider(app, manager, providerId);
    return 'removed';
  }
  const rules = readRules(visit, row);
  const changes = rules ?? { ...readSent(visit), disabled: sent.has('disabled') };
  // What is absent becomes the default.
  const format = row.name_id_format === null ? {} : { name_id_format: row.name_id_format };
  await changeSsoProvider(app, manager, providerId, { ...format, ...changes });
  return 'saved';
}

async function changeOpenid(
  visit: AccountVisit,
  manager: OrganizationManager,
  row: CustomProviderRow,
): Promise<Done | undefined> {
  const { app, form: sent } = visit;
  if (sent.get('action') === 'remove') {
    await removeCustomProvider(app, manager, row);
    return 'removed';
  }
  const changes = readRules(visit, row) ?? { ...readOpenid(visit), enabled: !sent.has('disabled') };
  // An issuer that is not given is not asked again.
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== ''));
  await changeCustomProvider(app, manager, customProviderReader(app, manager, row.id), given);
  return 'saved';
}

const readSent = ({ form: sent, request }: Visit): GivenProvider => ({
  metadata_url: sent.get('metadata_url')?.trim() ?? '',
  metadata_xml: sent.get('metadata_xml')?.trim() ?? '',
  domains: request.allValues('domains'),
  roles: request.allValues('roles'),
  enforced: sent.has('enforced'),
});

const readOpenid = ({ form: sent, request }: Visit) => ({
  name: sent.get('name')?.trim() ?? '',
  issuer: sent.get('issuer')?.trim() ?? '',
  client_id: sent.get('client_id')?.trim() ?? '',
  client_secret: sent.get('client_secret')?.trim() ?? '',
  roles: request.allValues('roles'),
});

const readRule = ({ form: sent, request }: Visit): MappedRoles => ({
  attribute: sent.get('attribute')?.trim() ?? '',
  value: sent.get('value')?.trim() ?? '',
  roles: request.allValues('roles'),
});

/** @returns null: the form is about something else */
function readRules(
  visit: Visit,
  { role_mapping: rules }: Pick<SsoProviderRow, 'role_mapping'>,
): { readonly role_mapping: readonly MappedRoles[] } | null {
  const action = visit.form.get('action');
  if (action !== 'map' && action !== 'unmap') return null;
  const given = readRule(visit);
  const others = rules.filter(({ attribute, value }) => attribute !== given.attribute || value !== given.value);
  return { role_mapping: action === 'map' ? [...others, given] : others };
}
