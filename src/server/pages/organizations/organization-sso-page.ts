/** /ui/account/organizations/{id}/sso: identity providers at which its members sign in. */

import { html, type Markup } from '../../../html.js';
import { readCustomProvidersOf } from '../../admin/custom-providers/of-organization.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import { managerOfOrganization } from '../../organizations/provider-manager.js';
import { readSsoProvidersOf } from '../../saml/providers/find-sso-provider.js';
import { serviceProviderOf } from '../../saml/service-provider.js';
import type { TextKey } from '../contract.js';
import { button, form } from '../form.js';
import { isRaised, raiseForm } from './organization-guard.js';
import { folded } from './organization-leave.js';
import { openidFields, showOpenidProvider } from './organization-openid-parts.js';
import { isRefused } from './organization-parts.js';
import { type OrganizationVisit, organizationPath } from './organization-place.js';
import { showProvider, ssoProviderFields } from './organization-sso-parts.js';
import { makeOrganizationPage } from './organization-visit.js';

export const organizationSsoPage = makeOrganizationPage('sso', showSso);

async function showSso(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller, client } = visit;
  const manager = await managerOfOrganization(app, client.requestId, caller, own.organization.id);
  const [saml, openid] = await Promise.all([
    readSsoProvidersOf(app, manager.organizationId),
    readCustomProvidersOf(app, manager),
  ]);
  const mayChange = await isRaised(visit);
  const shown = [
    ...saml.map((row) => showProvider(visit, row, mayChange)),
    ...openid.map((row) => showOpenidProvider(visit, row, mayChange)),
  ];
  return html`<p>${words('sso.text')}</p>
${ownAddresses(visit)}
${shown.length === 0 ? html`<p>${words('sso.none')}</p>` : html`<ul class="plain">${shown}</ul>`}
${mayChange ? additionForms(visit) : raiseForm(visit)}`;
}

/** What those who run a provider enter there. */
function ownAddresses({ app: { config }, words }: OrganizationVisit): readonly Markup[] {
  const { entityId = '', acsUrl = '' } = config.samlEnabled ? serviceProviderOf(config) : {};
  const callback = config.customOauthEnabled
    ? `${config.customOauthExternalUrl || config.apiExternalUrl}/callback`
    : '';
  const all: readonly (readonly [TextKey, string])[] = [
    ['sso.entity', entityId],
    ['sso.acs', acsUrl],
    ['sso.callback', callback],
  ];
  return all
    .filter(([, address]) => address !== '')
    .map(([key, address]) => html`<p>${words(key)}</p><p><code class="secret" dir="ltr">${address}</code></p>`);
}

function additionForms(visit: OrganizationVisit): Markup {
  const { app, words } = visit;
  const one = (action: 'add' | 'add_openid', title: string, content: Markup) =>
    folded(
      title,
      isRefused(visit, action),
      form(visit, organizationPath(visit, 'sso'), html`${content}${button(words('sso.add_submit'), action)}`),
    );
  const none = { domains: [], roles: DEFAULT_ROLES, isEnforced: false };
  return html`${app.config.samlEnabled && one('add', words('sso.add'), ssoProviderFields(visit, 'new', isRefused(visit, 'add'), none))}
${app.config.customOauthEnabled && one('add_openid', words('sso.add_openid'), openidFields(visit, null, isRefused(visit, 'add_openid')))}`;
}
