/** People of companies on the pages: their addresses sign in at the identity provider of the company. */
import { noteAddress } from '../../db/pages.js';
import { html, type Markup } from '../../html.js';
import { domainOf, spellDomain } from '../accounts/addresses.js';
import { ApiError } from '../errors.js';
import { COMPANY_PREFIX, isCompanyProvider } from '../saml/company-name.js';
import { pageLink } from './form.js';
import type { PageOutcome } from './outcome.js';
import { otherWaysLink } from './sign-in-links.js';
import type { Visit } from './visit.js';

/** Where the people of a domain sign in. */
export interface CompanySignIn {
  /** As its link names it: `sso:<id>`, or the identifier of a provider of OpenID Connect. */
  readonly provider: string;
  /** They sign in there only. */
  readonly isEnforced: boolean;
}

/** By the domain of an address, or by what was typed as a domain. */
export async function findCompany({
  app: { companyDomains },
  address,
}: Pick<Visit, 'app' | 'address'>): Promise<CompanySignIn | undefined> {
  const domain = spellDomain(domainOf(address));
  const saml = await companyDomains.find(domain);
  if (saml !== undefined) return { provider: `${COMPANY_PREFIX}${saml.provider_id}`, isEnforced: saml.is_enforced };
  const openid = await companyDomains.findOpenid(domain);
  return openid === undefined ? undefined : { provider: openid, isEnforced: false };
}

/** Leads to the field for an address or a domain; null: no company signs in here. */
export async function companyLink(visit: Visit): Promise<Markup | null> {
  if (!(await visit.app.companyDomains.hasAny())) return null;
  return html`<a class="button plain" href="${pageLink(visit, 'company')}">${visit.words('sign_in.with_company')}</a>`;
}

/** Leads to a password or a code; null: the company does not allow that. */
export const otherWays = (visit: Visit, company: CompanySignIn | undefined): Markup | null =>
  company === undefined || company.isEnforced
    ? null
    : html`<p><a href="${otherWaysLink(visit)}">${visit.words('sign_in.other_ways')}</a></p>`;

/** Begins the sign-in there, after a form. @param provider of {@link CompanySignIn} */
export const atCompanyLink = (visit: Pick<Visit, 'up' | 'flow'>, provider: string): string =>
  `${pageLink(visit, 'provider')}&provider=${encodeURIComponent(provider)}&${FROM_FORM}=1`;

/** Of an address that a form has led to. */
export const FROM_FORM = 'form';

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
    return { to: atCompanyLink(visit, `${COMPANY_PREFIX}${error.extra!['provider_id']}`) };
  }
}
