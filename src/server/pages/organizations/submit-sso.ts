/** What the forms of /ui/account/organizations/{id}/sso do. */
import type { MappedRoles, SsoProviderRow } from '../../../db/sso-providers.js';
import { managerOfOrganization, raisedManagerOfOrganization } from '../../organizations/provider-manager.js';
import { changeSsoProvider, refreshSsoProvider, removeSsoProvider } from '../../saml/providers/change-sso-provider.js';
import { createSsoProvider } from '../../saml/providers/create-sso-provider.js';
import { readManagedProvider } from '../../saml/providers/managed-provider.js';
import type { GivenProvider } from '../../saml/providers/provider-fields.js';
import type { AccountVisit, Done } from '../account/account-visit.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { organizationLink } from './organization-place.js';
import { submitToOrganization } from './organization-visit.js';

/** @throws ApiError those of saml/providers */
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
    case 'remove':
      await removeSsoProvider(app, manager, providerId);
      return 'removed';
    case 'save':
      return change(readSent(visit), { disabled: sent.has('disabled') });
    case 'map':
      return change((row) => ({ role_mapping: [...otherRules(visit, row), readRule(visit)] }));
    case 'unmap':
      return change((row) => ({ role_mapping: otherRules(visit, row) }));
    default:
      return undefined;
  }

  async function change(
    ...given: readonly (GivenProvider | ((row: SsoProviderRow) => GivenProvider))[]
  ): Promise<Done> {
    const row = await readManagedProvider(app, manager, providerId);
    const changes = given.map((one) => (typeof one === 'function' ? one(row) : one));
    // What is absent becomes the default.
    const format = row.name_id_format === null ? {} : { name_id_format: row.name_id_format };
    await changeSsoProvider(app, manager, providerId, Object.assign({}, format, ...changes));
    return 'saved';
  }
}

const readSent = ({ form: sent, request }: Visit): GivenProvider => ({
  metadata_url: sent.get('metadata_url')?.trim() ?? '',
  metadata_xml: sent.get('metadata_xml')?.trim() ?? '',
  domains: request.allValues('domains'),
  roles: request.allValues('roles'),
  enforced: sent.has('enforced'),
});

const readRule = ({ form: sent, request }: Visit): MappedRoles => ({
  attribute: sent.get('attribute')?.trim() ?? '',
  value: sent.get('value')?.trim() ?? '',
  roles: request.allValues('roles'),
});

/** Those for other attributes or values than the form is about. */
function otherRules(visit: Visit, { role_mapping: rules }: SsoProviderRow): readonly MappedRoles[] {
  const { attribute, value } = readRule(visit);
  return rules.filter((rule) => rule.attribute !== attribute || rule.value !== value);
}
