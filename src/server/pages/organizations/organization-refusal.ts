/** In place of the pages of an organization whose policies refuse the session: why, what helps, and the way out. */
import { html, type Markup } from '../../../html.js';
import { readCustomProvidersOf } from '../../admin/custom-providers/of-organization.js';
import { OWNER } from '../../organizations/role-catalog.js';
import type { PolicyError } from '../../organizations/rules.js';
import { COMPANY_PREFIX, companyNameOf } from '../../saml/company-name.js';
import { readSsoProvidersOf } from '../../saml/providers/find-sso-provider.js';
import { comeBack, sectionLink, sectionsOf } from '../account/account-visit.js';
import type { TextKey } from '../contract.js';
import { pageLink } from '../form.js';
import { nameOfProvider } from '../provider-links.js';
import { otherAccountLink } from '../sign-in-links.js';
import { showLeaving } from './organization-leave.js';
import type { OrganizationVisit } from './organization-place.js';

const reasons: Readonly<Record<PolicyError, TextKey>> = {
  organizationRequiresAal2: 'refusal.factor',
  organizationRequiresSso: 'refusal.company',
  organizationSessionExpired: 'refusal.again',
};

export async function showRefusal(visit: OrganizationVisit, refusal: PolicyError): Promise<Markup> {
  const { words, caller, error } = visit;
  // A sign-in that follows leads back to the page.
  await comeBack(visit, visit.place, { address: caller.user.email ?? caller.user.phone });
  return html`${error?.entry !== refusal && html`<p class="alert" role="note">${words(reasons[refusal])}</p>`}
${await showCure(visit, refusal)}
${await showLeaving(visit)}`;
}

async function showCure(visit: OrganizationVisit, refusal: PolicyError): Promise<Markup | null> {
  const { words, own } = visit;
  switch (refusal) {
    case 'organizationRequiresAal2':
      return factorLink(visit, false);
    case 'organizationSessionExpired':
      return html`<p><a class="button" href="${otherAccountLink(visit)}">${words('refusal.sign_in')}</a></p>`;
    case 'organizationRequiresSso': {
      const links = await providerLinks(visit);
      if (own.organization.roles.includes(OWNER)) {
        return html`${links}<p>${words('refusal.company_owner')}</p>${factorLink(visit, true)}`;
      }
      return links.length === 0 ? html`<p>${words('refusal.no_provider')}</p>` : html`${links}`;
    }
  }
}

/** Nothing where no second factor can be added. @param isOther there is another way, too */
const factorLink = (visit: OrganizationVisit, isOther: boolean): Markup | null =>
  sectionsOf(visit).includes('factors')
    ? html`<p><a class="button${isOther ? ' plain' : ''}" href="${sectionLink(visit, 'factors')}">${visit.words('refusal.add_factor')}</a></p>`
    : null;

async function providerLinks(visit: OrganizationVisit): Promise<readonly Markup[]> {
  const { app, words, own } = visit;
  const { id } = own.organization;
  const [companies, others] = await Promise.all([
    app.config.samlEnabled ? readSsoProvidersOf(app, id) : [],
    readCustomProvidersOf(app, { organizationId: id }),
  ]);
  const usable = [
    ...companies
      .filter(({ disabled }) => disabled !== true)
      .map((row) => [`${COMPANY_PREFIX}${row.id}`, companyNameOf(row)] as const),
    ...others
      .filter(({ settings }) => settings.enabled)
      .map(({ identifier, settings }) => [identifier, settings.name || nameOfProvider(identifier)] as const),
  ];
  return usable.map(([name, provider]) => {
    const to = `${pageLink(visit, 'provider')}&provider=${encodeURIComponent(name)}`;
    return html`<p><a class="button" href="${to}">${words('sign_in.with_provider', { provider })}</a></p>`;
  });
}
