/** What the forms of /ui/account/organizations/{id}/clients do. */
import { html } from '../../../html.js';
import { MACHINE_GRANT } from '../../oauth/client-fields.js';
import type { ClientWithSecret } from '../../oauth/write-client.js';
import {
  addOrganizationClient,
  changeOrganizationClient,
  removeOrganizationClient,
  renewOrganizationClientSecret,
} from '../../organizations/organization-clients.js';
import { frameSection } from '../account/account-frame.js';
import type { AccountVisit } from '../account/account-visit.js';
import type { TextKey } from '../contract.js';
import type { View } from '../layout.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { organizationLink } from './organization-place.js';
import { submitToOrganization } from './organization-visit.js';

export interface ClientsForm {
  readonly action?: string;
  readonly entry_id?: string;
  readonly client_name?: string;
}

/** @throws ApiError those of organizations/organization-clients.ts */
export const submitClients = (visit: Visit, sent: ClientsForm): Promise<PageOutcome> =>
  submitToOrganization(visit, 'clients', async (opened, id) => {
    const { app, caller, client, request } = opened;
    const { action, entry_id: clientId = '', client_name = '' } = sent;
    const asked = { requestId: client.requestId, caller, pathId: id };
    const given = { client_name: client_name.trim(), organization_roles: request.allValues('roles') };
    switch (action) {
      case 'add': {
        const machine = { ...given, client_type: 'confidential', grant_types: [MACHINE_GRANT] };
        return { view: showSecret(opened, id, await addOrganizationClient(app, asked, machine)) };
      }
      case 'change':
        await changeOrganizationClient(app, asked, clientId, given);
        return { to: organizationLink(visit, id, 'clients', 'saved') };
      case 'renew':
        return { view: showSecret(opened, id, await renewOrganizationClientSecret(app, asked, clientId)) };
      case 'remove':
        await removeOrganizationClient(app, asked, clientId);
        return { to: organizationLink(visit, id, 'clients', 'removed') };
      default:
        return { to: organizationLink(visit, id, 'clients') };
    }
  });

/** The secret leaves the server on this page, and never again. */
function showSecret(visit: AccountVisit, organizationId: string, { client, secret = '' }: ClientWithSecret): View {
  const { app, words } = visit;
  const shown: readonly (readonly [TextKey, string])[] = [
    ['clients.id', client.id],
    ['clients.secret', secret],
    ['clients.endpoint', `${app.config.apiExternalUrl}/oauth/token`],
  ];
  return frameSection(
    visit,
    html`<p>${words('clients.shown')}</p>
${shown.map(([key, value]) => html`<p>${words(key)}</p><p><code class="secret" dir="ltr">${value}</code></p>`)}
<p><a class="button" href="${organizationLink(visit, organizationId, 'clients')}">${words('clients.kept')}</a></p>`,
    client.name || client.id,
  );
}
