/** /ui/account/organizations/{id}/sso: identity providers at which its members sign in. */
import { html, type Markup } from '../../../html.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import { managerOfOrganization } from '../../organizations/provider-manager.js';
import { readSsoProvidersOf } from '../../saml/providers/find-sso-provider.js';
import { serviceProviderOf } from '../../saml/service-provider.js';
import { button, form } from '../form.js';
import { isRaised, raiseForm } from './organization-guard.js';
import { folded } from './organization-leave.js';
import { isRefused } from './organization-parts.js';
import { type OrganizationVisit, organizationPath } from './organization-place.js';
import { showProvider, ssoProviderFields } from './organization-sso-parts.js';
import { makeOrganizationPage } from './organization-visit.js';

export const organizationSsoPage = makeOrganizationPage('sso', showSso);

async function showSso(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller, client } = visit;
  const { organizationId } = await managerOfOrganization(app, client.requestId, caller, own.organization.id);
  const rows = await readSsoProvidersOf(app, organizationId);
  const mayChange = await isRaised(visit);
  const { entityId, acsUrl } = serviceProviderOf(app.config);
  const list =
    rows.length === 0
      ? html`<p>${words('sso.none')}</p>`
      : html`<ul class="plain">${rows.map((row) => showProvider(visit, row, mayChange))}</ul>`;
  return html`<p>${words('sso.text')}</p>
<p>${words('sso.entity')}</p>
<p><code class="secret" dir="ltr">${entityId}</code></p>
<p>${words('sso.acs')}</p>
<p><code class="secret" dir="ltr">${acsUrl}</code></p>
${list}
${mayChange ? additionForm(visit, rows.length === 0) : raiseForm(visit)}`;
}

function additionForm(visit: OrganizationVisit, isFirst: boolean): Markup {
  const { words } = visit;
  const isSent = isRefused(visit, 'add');
  const given = { domains: [], roles: DEFAULT_ROLES, isEnforced: false };
  const content = html`${ssoProviderFields(visit, 'new', isSent, given)}${button(words('sso.add'), 'add')}`;
  return folded(words('sso.add'), isFirst || isSent, form(visit, organizationPath(visit, 'sso'), content));
}
