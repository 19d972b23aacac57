/** /ui/account/organizations/{id}/domains: domains that the organization has shown to be its own, or is about to. */
import type { OrganizationDomainRow } from '../../../db/organization-domains.js';
import { html, type Markup } from '../../../html.js';
import { proofRecordOf } from '../../domains/domain-proof.js';
import { changerOfUser } from '../../organizations/locked-organization.js';
import {
  addDomain,
  changeDomain,
  type GivenDomain,
  listDomains,
  removeDomain,
  verifyDomainOf,
} from '../../organizations/organization-domains.js';
import type { AccountVisit } from '../account/account-visit.js';
import { attributesOf, button, checkbox, field, form, hidden, PLAIN } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { isRaised, raiseForm } from './organization-guard.js';
import { folded } from './organization-leave.js';
import { isRefused, namesOfRoles, roleBoxes } from './organization-parts.js';
import { type OrganizationVisit, organizationLink, organizationPath } from './organization-place.js';
import { makeOrganizationPage, submitToOrganization } from './organization-visit.js';

export const organizationDomainsPage = makeOrganizationPage('domains', showDomains);

async function showDomains(visit: OrganizationVisit): Promise<Markup> {
  const { app, client, words, caller, own } = visit;
  const domains = await listDomains(app, changerOfUser(caller, client.requestId), own.organization.id);
  const mayLetJoin = domains.length === 0 || (await isRaised(visit));
  return html`<p>${words('domains.text')}</p>
${domains.length > 0 && html`<ul class="plain">${domains.map((row) => showDomain(visit, row, mayLetJoin))}</ul>`}
${!mayLetJoin && raiseForm(visit)}
${additionForm(visit)}`;
}

function additionForm(visit: OrganizationVisit): Markup {
  const { words, form: sent } = visit;
  const isSent = isRefused(visit, 'add');
  const name = field(
    'domain',
    words('domains.field'),
    {
      autocomplete: 'off',
      autocapitalize: 'none',
      spellcheck: 'false',
      inputmode: 'url',
      dir: 'ltr',
      required: true,
      maxlength: '255',
      value: isSent ? (sent.get('domain') ?? '') : '',
    },
    isSent,
  );
  return form(visit, organizationPath(visit, 'domains'), html`${name}${button(words('domains.add'), 'add')}`);
}

function showDomain(visit: OrganizationVisit, row: OrganizationDomainRow, mayLetJoin: boolean): Markup {
  const { domain, proof, verified_at, auto_join, roles } = row;
  const { words } = visit;
  const isPending = verified_at === null;
  const name = hidden('domain', domain);
  const label = attributesOf({ class: 'link', 'aria-label': words('factors.remove_named', { name: domain }) });
  return html`<li>
<div class="row"><div><strong><bdi dir="ltr">${domain}</bdi></strong> <span class="tag">${words(isPending ? 'domains.pending' : 'domains.verified')}</span></div>
${form(visit, organizationPath(visit, 'domains'), html`${name}${hidden('action', 'remove')}${button(words('passkeys.remove'), '', label)}`)}</div>
${isPending && html`${showRecord(visit, domain, proof)}${verificationForm(visit, domain)}`}
<div class="muted">${auto_join ? words('domains.joins', { roles: namesOfRoles(visit, roles) }) : words('domains.joins_none')}</div>
${mayLetJoin && joiningForm(visit, row)}
</li>`;
}

/** Who joins by a domain. */
function joiningForm(visit: OrganizationVisit, { domain, auto_join, roles }: OrganizationDomainRow): Markup {
  const { words, own, error, form: sent } = visit;
  const isSent = isRefused(visit, 'joins', 'domain', domain);
  const box = checkbox({
    name: 'auto_join',
    label: words('domains.auto_join'),
    isChecked: isSent ? sent.has('auto_join') : auto_join,
  });
  const offered = [...new Set([...own.rolesToLetJoin, ...roles])];
  const checked = isSent ? visit.request.allValues('roles') : roles;
  const boxes = roleBoxes(visit, offered, checked, isSent && error?.entry === 'organizationFieldInvalid');
  const content = html`${hidden('domain', domain)}${box}${boxes}${button(words('policies.save'), 'joins', PLAIN)}`;
  const summary = words('domains.joins_change', { name: domain });
  return folded(summary, isSent, form(visit, organizationPath(visit, 'domains'), content));
}

/** With what was found in its place, after it was looked up. */
function showRecord(visit: OrganizationVisit, domain: string, proof: string): Markup {
  const { words, error } = visit;
  const { name, value } = proofRecordOf(domain, proof);
  const isMissing = isRefused(visit, 'verify', 'domain', domain) && error?.entry === 'domainRecordMissing';
  const found = isMissing ? (error.extra?.['found'] as readonly string[]) : [];
  return html`<p>${words('domains.record')}</p>
<p><code class="secret" dir="ltr">${name}</code></p>
<p><code class="secret" dir="ltr">${value}</code></p>
${found.length > 0 && html`<p>${words('domains.found')}</p><ul>${found.map((text) => html`<li><code dir="ltr">${text}</code></li>`)}</ul>`}`;
}

function verificationForm(visit: OrganizationVisit, domain: string): Markup {
  const { words } = visit;
  const label = attributesOf({ 'aria-label': words('domains.verify_named', { name: domain }) });
  const content = html`${hidden('domain', domain)}${hidden('action', 'verify')}<button type="submit"${PLAIN}${label}>${words('domains.verify')}</button>`;
  return form(visit, organizationPath(visit, 'domains'), content);
}

/** What is not changed needs no permission. */
async function readJoining(
  { app, caller, client, request }: AccountVisit,
  id: string,
  domain: string,
): Promise<GivenDomain> {
  const rows = await listDomains(app, changerOfUser(caller, client.requestId), id);
  const before = rows.find((row) => row.domain === domain)?.roles ?? [];
  const roles = request.allValues('roles').toSorted();
  const isSame = roles.join() === before.join();
  return { auto_join: request.form.has('auto_join'), ...(!isSame && { roles }) };
}

export interface DomainsForm {
  readonly action?: string;
  readonly domain?: string;
}

/** @throws ApiError those of addDomain(), changeDomain(), verifyDomainOf() and removeDomain() */
export const submitDomains = (visit: Visit, { action, domain = '' }: DomainsForm): Promise<PageOutcome> =>
  submitToOrganization(visit, 'domains', async (opened, id) => {
    const { app, client, caller } = opened;
    const changer = changerOfUser(caller, client.requestId);
    switch (action) {
      case 'add':
        await addDomain(app, changer, id, { domain: domain.trim() });
        return { to: organizationLink(visit, id, 'domains', 'added') };
      case 'joins':
        await changeDomain(app, changer, id, domain, await readJoining(opened, id, domain));
        return { to: organizationLink(visit, id, 'domains', 'saved') };
      case 'verify':
        await verifyDomainOf(app, changer, id, domain);
        return { to: organizationLink(visit, id, 'domains', 'verified') };
      case 'remove':
        await removeDomain(app, changer, id, domain);
        return { to: organizationLink(visit, id, 'domains', 'removed') };
      default:
        return { to: organizationLink(visit, id, 'domains') };
    }
  });
