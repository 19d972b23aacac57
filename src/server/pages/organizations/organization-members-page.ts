/** /ui/account/organizations/{id}/members: who belongs to it, with which roles. */
import { html, type Markup } from '../../../html.js';
import { changeRoles, endMembership, readRoles } from '../../organizations/change-members.js';
import { readMemberPage } from '../../organizations/list-members.js';
import { changerOfUser } from '../../organizations/locked-organization.js';
import { sectionLink } from '../account/account-visit.js';
import { ageOf } from '../account/age.js';
import { attributesOf, button, field, form, hidden, PLAIN } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { markName, nameOfPerson } from '../person.js';
import type { Visit } from '../visit.js';
import { raiseForm, rolesInReach } from './organization-guard.js';
import { cursorQueryOf, isRefused, moreLink, namesOfRoles, roleBoxes } from './organization-parts.js';
import { type OrganizationVisit, organizationLink, organizationPath } from './organization-place.js';
import { makeOrganizationPage, submitToOrganization } from './organization-visit.js';

export const organizationMembersPage = makeOrganizationPage('members', showMembers);

type Member = Awaited<ReturnType<typeof readMemberPage>>['members'][number];

async function showMembers(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, query } = visit;
  const { id } = own.organization;
  const { members, next_cursor } = await readMemberPage(app, id, cursorQueryOf(visit, 'search'));
  const search = query.get('search')?.trim() ?? '';
  const page = organizationLink(visit, id, 'members');
  const to = search === '' ? page : `${page}&search=${encodeURIComponent(search)}`;
  const { roles, needsFactor } = await rolesInReach(visit, own.rolesToGive('members:manage'));
  const list =
    members.length === 0
      ? html`<p>${words('members.none')}</p>`
      : html`<ul class="plain">${members.map((member) => showOneMember(visit, member, roles))}</ul>`;
  return html`${searchForm(visit, search)}
${list}
${moreLink(visit, to, next_cursor)}
${needsFactor && raiseForm(visit)}
${search !== '' && html`<p><a href="${page}">${words('members.all')}</a></p>`}`;
}

/** By GET, so that Back and the links to more keep what was searched for. */
function searchForm(visit: OrganizationVisit, search: string): Markup {
  const { up, flow, words } = visit;
  const attributes = { type: 'search', autocomplete: 'off', maxlength: '255', value: search } as const;
  return html`<form method="get" role="search" action="${up}${organizationPath(visit, 'members')}">${hidden('flow', flow.id)}
${field('search', words('members.search'), attributes)}${button(words('members.find'), '', PLAIN)}
</form>`;
}

function showOneMember(visit: OrganizationVisit, member: Member, given: readonly string[]): Markup {
  const { words, language, caller, own } = visit;
  const { user, roles, joined_at } = member;
  const isSelf = user.id === caller.user.id;
  const name = user.name ?? nameOfPerson(visit, user);
  const forms = [
    own.mayChange(roles) && rolesForm(visit, member, [...new Set([...given, ...roles])]),
    // Oneself leaves, on the page of the organization.
    !isSelf && own.mayRemove(roles) && removalForm(visit, user.id, name),
  ].filter((one) => one !== false);
  const isOpen = isRefused(visit, 'roles', 'user_id', user.id) || isRefused(visit, 'remove', 'user_id', user.id);
  return html`<li>
<strong>${user.name === null ? markName(visit, user) : html`<bdi>${user.name}</bdi>`}</strong>${isSelf && html` <span class="tag">${words('members.you')}</span>`}
<div class="muted">${user.name !== null && html`${markName(visit, user)} · `}${namesOfRoles(visit, roles)} · ${words('members.joined')} ${ageOf(language, joined_at)}</div>
${forms.length > 0 && html`<details${isOpen && attributesOf({ open: true })}><summary>${words('passkeys.manage', { name })}</summary>${forms}</details>`}
</li>`;
}

function rolesForm(visit: OrganizationVisit, { user, roles }: Member, offered: readonly string[]): Markup {
  const { words, error } = visit;
  const isSent = isRefused(visit, 'roles', 'user_id', user.id);
  const checked = isSent ? visit.request.allValues('roles') : roles;
  const boxes = roleBoxes(visit, offered, checked, isSent && error?.entry === 'organizationFieldInvalid');
  const content = html`${hidden('user_id', user.id)}${boxes}${button(words('members.save'), 'roles', PLAIN)}`;
  return form(visit, organizationPath(visit, 'members'), content);
}

function removalForm(visit: OrganizationVisit, userId: string, name: string): Markup {
  const { words } = visit;
  const label = attributesOf({ class: 'danger', 'aria-label': words('factors.remove_named', { name }) });
  const content = html`${hidden('user_id', userId)}${hidden('action', 'remove')}${button(words('passkeys.remove'), '', label)}`;
  return form(visit, organizationPath(visit, 'members'), content);
}

export interface MembersForm {
  readonly action?: string;
  readonly user_id?: string;
}

/** @throws ApiError those of changeRoles() and endMembership() */
export const submitMembers = (visit: Visit, { action, user_id: userId = '' }: MembersForm): Promise<PageOutcome> =>
  submitToOrganization(visit, 'members', async ({ app, client, caller, request }, id) => {
    const changer = changerOfUser(caller, client.requestId);
    switch (action) {
      case 'roles':
        await changeRoles(app, changer, id, userId, readRoles(request.allValues('roles')));
        return { to: organizationLink(visit, id, 'members', 'saved') };
      case 'remove':
        await endMembership(app, changer, id, userId);
        if (userId === caller.user.id) return { to: sectionLink(visit, 'organizations', 'left') };
        return { to: organizationLink(visit, id, 'members', 'removed') };
      default:
        return { to: organizationLink(visit, id, 'members') };
    }
  });
