/** /ui/account/organizations/{id}/policies: what the organization demands of sessions, and who may join it. */
import { html, type Markup } from '../../../html.js';
import { changeOrganization } from '../../organizations/change-organization.js';
import { changerOfUser } from '../../organizations/locked-organization.js';
import { readOrganizationFields } from '../../organizations/organization-fields.js';
import { findUnmetPolicies } from '../../organizations/own-policies.js';
import { readPolicyChanges, viewPolicies } from '../../organizations/policies.js';
import { isAllowed } from '../../organizations/rules.js';
import { button, checkbox, field, form, textArea } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { isRaised, raiseForm } from './organization-guard.js';
import { isRefused } from './organization-parts.js';
import { type OrganizationVisit, organizationLink, organizationPath } from './organization-place.js';
import { makeOrganizationPage, submitToOrganization } from './organization-visit.js';

export const organizationPoliciesPage = makeOrganizationPage('policies', showPolicies);

async function showPolicies(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller, error, form: sent } = visit;
  if (!(await isRaised(visit))) return html`<p>${words('policies.text')}</p>${raiseForm(visit)}`;
  const isSent = isRefused(visit, 'save');
  const unmet = await findUnmetPolicies(app, caller, own.organization.id);
  const policies = viewPolicies(own.organization.policies);
  const { session_hours: hours, allowed_domains: domains } = policies;
  const isChecked = (name: 'require_aal2' | 'require_sso') => (isSent ? sent.has(name) : policies[name]);
  const typed = (name: string, stored: string): string => (isSent ? (sent.get(name) ?? '') : stored);
  const isWrong = (name: 'session_hours' | 'allowed_domains'): boolean =>
    isSent &&
    error?.entry === 'organizationFieldInvalid' &&
    !isAllowed(() => readPolicyChanges({ [name]: readSentPolicies(sent)[name] }));
  const hoursField = field(
    'session_hours',
    words('policies.hours'),
    {
      type: 'number',
      min: '1',
      max: '8760',
      autocomplete: 'off',
      value: typed('session_hours', hours === null ? '' : String(hours)),
      'aria-describedby': 'hours-hint',
    },
    isWrong('session_hours'),
    html`<span class="muted" id="hours-hint">${words('policies.hours_hint')}</span>`,
  );
  const domainsField = textArea(
    'allowed_domains',
    words('policies.domains'),
    { rows: '3', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', dir: 'ltr', maxlength: '16384' },
    typed('allowed_domains', domains.join('\n')),
    isWrong('allowed_domains'),
    html`${words('policies.domains_hint')}`,
  );
  const companyHint = [words('policies.company_hint'), ...(unmet.require_sso ? [words('policies.unmet_company')] : [])];
  const content = html`${checkbox({
    name: 'require_aal2',
    label: words('policies.factor'),
    isChecked: isChecked('require_aal2'),
    ...(unmet.require_aal2 && { hint: words('policies.unmet_factor') }),
  })}
${checkbox({
  name: 'require_sso',
  label: words('policies.company'),
  isChecked: isChecked('require_sso'),
  hint: companyHint.join(' '),
})}
${hoursField}${domainsField}${button(words('policies.save'), 'save')}`;
  return html`<p>${words('policies.text')}</p>
${form(visit, organizationPath(visit, 'policies'), content)}`;
}

/** As the rules of policies read them; what is no number is refused there. */
const readSentPolicies = (sent: ReadonlyMap<string, string>) => {
  const hours = sent.get('session_hours')?.trim() ?? '';
  return {
    require_aal2: sent.has('require_aal2'),
    require_sso: sent.has('require_sso'),
    session_hours: hours === '' ? null : Number(hours),
    allowed_domains: (sent.get('allowed_domains') ?? '').split(/[\s,;]+/).filter(Boolean),
  };
};

/** @throws ApiError those of readOrganizationFields() and changeOrganization() */
export const submitPolicies = (visit: Visit): Promise<PageOutcome> =>
  submitToOrganization(visit, 'policies', async ({ app, client, caller, form: sent }, id) => {
    const changes = readOrganizationFields({ policies: readSentPolicies(sent) });
    await changeOrganization(app, changerOfUser(caller, client.requestId), id, changes);
    return { to: organizationLink(visit, id, 'policies', 'saved') };
  });
