/** /ui/account/organizations/{id}: one organization, its pages, and the ways out of it. */
import { html, type Markup } from '../../../html.js';
import { endMembership } from '../../organizations/change-members.js';
import { changeOrganization, deleteOwnOrganization } from '../../organizations/change-organization.js';
import { changerOfUser } from '../../organizations/locked-organization.js';
import { readOrganizationFields } from '../../organizations/organization-fields.js';
import { isActiveIn } from '../../organizations/own-standing.js';
import { DANGER } from '../account/account-frame.js';
import { sectionLink } from '../account/account-visit.js';
import { button, field, form, PLAIN } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import type { Visit } from '../visit.js';
import { folded, showLeaving } from './organization-leave.js';
import { isRefused, namesOfRoles, organizationFields, switchForm } from './organization-parts.js';
import { type OrganizationVisit, organizationLink, organizationPath, partsOf } from './organization-place.js';
import { makeOrganizationPage, submitToOrganization } from './organization-visit.js';

export const organizationOverview = makeOrganizationPage('', showOverviewOf);

async function showOverviewOf(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, caller, own } = visit;
  const { organization, may } = own;
  const { id, name, slug, roles } = organization;
  const [isActive, leaving] = await Promise.all([isActiveIn(app, caller, id), showLeaving(visit)]);
  const parts = partsOf(visit);
  return html`<div class="row">
<div class="muted"><bdi dir="ltr">${slug}</bdi> · ${words('organizations.your_roles', { roles: namesOfRoles(visit, roles) })}${isActive && html` <span class="tag">${words('organizations.active')}</span>`}</div>
${switchForm(visit, id, name, isActive)}
</div>
${parts.length > 0 && html`<ul class="parts">${parts.map((part) => html`<li><a href="${organizationLink(visit, id, part)}">${words(`organizations.${part}`)}</a> <div class="muted">${words(`organizations.about_${part}`)}</div></li>`)}</ul>`}
${may('organization:manage') && settingsForm(visit)}
${leaving}
${may('organization:delete') && deleteForm(visit)}`;
}

function settingsForm(visit: OrganizationVisit): Markup {
  const content = html`${organizationFields(visit, 'save', visit.own.organization)}${button(visit.words('profile.change'), 'save', PLAIN)}`;
  const isOpen = isRefused(visit, 'save');
  return folded(visit.words('organizations.edit'), isOpen, form(visit, organizationPath(visit, ''), content));
}

function deleteForm(visit: OrganizationVisit): Markup {
  const { words, own } = visit;
  const isOpen = isRefused(visit, 'delete');
  const repeated = field(
    'slug',
    words('delete.name', { name: own.organization.slug }),
    {
      id: 'repeated-slug',
      autocomplete: 'off',
      autocapitalize: 'none',
      spellcheck: 'false',
      dir: 'ltr',
      required: true,
    },
    isOpen,
  );
  const content = html`<p>${words('organizations.delete_text')}</p>${repeated}${button(words('organizations.delete'), 'delete', DANGER)}`;
  return folded(words('organizations.delete'), isOpen, form(visit, organizationPath(visit, ''), content));
}

export interface OrganizationForm {
  readonly action?: string;
  readonly name?: string;
  readonly slug?: string;
}

/** @throws ApiError those of changeOrganization(), endMembership() and deleteOwnOrganization() */
export const submitOrganization = (visit: Visit, { action, name, slug }: OrganizationForm): Promise<PageOutcome> =>
  submitToOrganization(visit, '', async ({ app, client, caller }, id) => {
    const changer = changerOfUser(caller, client.requestId);
    switch (action) {
      case 'save':
        await changeOrganization(app, changer, id, readOrganizationFields({ name, slug: slug?.trim() }));
        return { to: organizationLink(visit, id, '', 'saved') };
      case 'leave':
        await endMembership(app, changer, id, caller.user.id);
        return { to: sectionLink(visit, 'organizations', 'left') };
      case 'delete':
        await deleteOwnOrganization(app, client.requestId, caller, id, slug?.trim());
        return { to: sectionLink(visit, 'organizations', 'removed') };
      default:
        return { to: organizationLink(visit, id) };
    }
  });
