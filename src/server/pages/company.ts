/** People of companies on the pages: their addresses sign in at the identity provider of the company. */
import { noteAddress } from '../../db/pages.js';
import { html, type Markup } from '../../html.js';
import { domainOf, spellDomain } from '../accounts/addresses.js';
import type { Company } from '../accounts/company-domains.js';
import { ApiError } from '../errors.js';
import { COMPANY_PREFIX, isCompanyProvider } from '../saml/company-name.js';
import { pageLink } from './form.js';
import type { PageOutcome } from './outcome.js';
import { otherWaysLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

/** By the domain of an address, or by what was typed as a domain. */
export const findCompany = ({ app, address }: Pick<Visit, 'app' | 'address'>): Promise<Company | undefined> =>
  app.companyDomains.find(spellDomain(domainOf(address)));

/** Leads to the field for an address or a domain; null: no company signs in here. */
export async function companyLink(visit: Visit): Promise<Markup | null> {
  if (!(await visit.app.companyDomains.hasAny())) return null;
  return html`<a class="button plain" href="${pageLink(visit, 'company')}">${visit.words('sign_in.with_company')}</a>`;
}

/** Leads to a password or a code; null: the company does not allow that. */
export const otherWays = (visit: Visit, company: Company | undefined): Markup | null =>
  company === undefined || company.is_enforced
    ? null
    : html`<p><a href="${otherWaysLink(visit)}">${visit.words('sign_in.other_ways')}</a></p>`;

/** Begins the sign-in there. */
export const atCompanyLink = (visit: Pick<Visit, 'up' | 'flow'>, providerId: string): string =>
  `${pageLink(visit, 'provider')}&provider=${encodeURIComponent(`${COMPANY_PREFIX}${providerId}`)}`;

/** @returns its id; null: the name is that of no company */
export const readCompanyName = ({ app }: Pick<Visit, 'app'>, provider: string): string | null =>
  app.config.samlEnabled && isCompanyProvider(provider) ? provider.slice(COMPANY_PREFIX.length) : null;

/** The flow keeps what was typed, and what it knows besides. */
export async function keepTyped({ app, flow, address }: Visit): Promise<void> {
  const kept = { type: null, wantsPassword: flow.wants_password, browserHash: flow.browser_hash };
  await noteAddress(app.db, flow.id, address.trim(), kept);
}

/**
 * The address of a form may sign in at its company only: the browser goes there.
 * @param submitted what the form does
 * @throws ApiError any other
 */
export async function orAtCompany(visit: Visit, submitted: Promise<PageOutcome>): Promise<PageOutcome> {
  try {
    return await submitted;
  } catch (error) {
    if (!(error instanceof ApiError) || error.entry !== 'ssoRequired') throw error;
    if (visit.address !== '') await keepTyped(visit);
    return { to: atCompanyLink(visit, String(error.extra!['provider_id'])) };
  }
}
