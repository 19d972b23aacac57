/** /ui/account/organizations/{id}/invitations: whom the organization has invited. */
import { html, type Markup } from '../../../html.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import { inviteMember, readInvitationPage, withdrawInvitation } from '../../organizations/invite-members.js';
import { ageOf } from '../account/age.js';
import { button, field, form, hidden } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { markName } from '../person.js';
import type { Visit } from '../visit.js';
import { cursorQueryOf, isRefused, moreLink, namesOfRoles, roleBoxes } from './organization-parts.js';
import {
  makeOrganizationPage,
  type OrganizationVisit,
  organizationLink,
  organizationPath,
  submitToOrganization,
} from './organization-visit.js';

export const organizationInvitationsPage = makeOrganizationPage('invitations', showInvitations);

type Invitation = Awaited<ReturnType<typeof readInvitationPage>>['invitations'][number];

async function showInvitations(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller } = visit;
  const { id } = own.organization;
  const { invitations, next_cursor } = await readInvitationPage(app, caller, id, cursorQueryOf(visit));
  const list =
    invitations.length === 0
      ? html`<p>${words('invitations.none')}</p>`
      : html`<ul class="plain">${invitations.map((one) => showInvitation(visit, one))}</ul>`;
  return html`${invitationForm(visit)}
${list}
${moreLink(visit, organizationLink(visit, id, 'invitations'), next_cursor)}`;
}

function invitationForm(visit: OrganizationVisit): Markup {
  const { words, error, form: sent, own } = visit;
  const isSent = isRefused(visit, 'invite');
  const isAboutRoles = isSent && error?.entry === 'organizationFieldInvalid';
  const address = field(
    'email',
    words('invitations.field'),
    {
      type: 'email',
      autocomplete: 'off',
      required: true,
      maxlength: '320',
      value: isSent ? (sent.get('email') ?? '') : '',
    },
    isSent && !isAboutRoles && error !== null && error.status !== 429,
  );
  const chosen = isSent ? visit.request.allValues('roles') : DEFAULT_ROLES;
  const boxes = roleBoxes(visit, own.rolesToGive('invitations:manage'), chosen, isAboutRoles);
  const content = html`${address}${boxes}${button(words('invitations.submit'), 'invite')}`;
  return form(visit, organizationPath(visit, 'invitations'), content);
}

function showInvitation(visit: OrganizationVisit, { id, email, roles, created_at }: Invitation): Markup {
  const { words, language } = visit;
  return html`<li class="row">
<div><strong>${markName(visit, { email, phone: null })}</strong>
<div class="muted">${namesOfRoles(visit, roles)} · ${words('invitations.since')} ${ageOf(language, created_at)}</div></div>
${form(
  visit,
  organizationPath(visit, 'invitations'),
  html`${hidden('action', 'revoke')}${hidden('entry_id', id)}
<button type="submit" class="link" aria-label="${words('invitations.revoke_named', { address: email })}">${words('invitations.revoke')}</button>`,
)}
</li>`;
}

export interface InvitationsForm {
  readonly action?: string;
  readonly email?: string;
  readonly entry_id?: string;
}

/** @throws ApiError those of inviteMember() and withdrawInvitation() */
export const submitInvitations = (visit: Visit, sent: InvitationsForm): Promise<PageOutcome> =>
  submitToOrganization(visit, 'invitations', async ({ app, client, caller, request }, id) => {
    if (sent.action === 'invite') {
      const given = { email: sent.email?.trim(), roles: request.allValues('roles') };
      await inviteMember(app, client.requestId, caller, id, given);
      return { to: organizationLink(visit, id, 'invitations', 'invited') };
    }
    if (sent.action !== 'revoke') return { to: organizationLink(visit, id, 'invitations') };
    await withdrawInvitation(app, client.requestId, caller, id, sent.entry_id ?? '');
    return { to: organizationLink(visit, id, 'invitations', 'withdrawn') };
  });
