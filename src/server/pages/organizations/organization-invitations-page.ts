/** /ui/account/organizations/{id}/invitations: whom the organization has invited. */
import { html, type Markup } from '../../../html.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import {
  inviteMember,
  readInvitationPage,
  resendInvitation,
  withdrawInvitation,
} from '../../organizations/invite-members.js';
import { changerOfUser } from '../../organizations/locked-organization.js';
import type { Done } from '../account/account-visit.js';
import { ageOf } from '../account/age.js';
import { attributesOf, button, field, form, hidden } from '../form.js';
import type { PageOutcome } from '../outcome.js';
import { markName } from '../person.js';
import type { Visit } from '../visit.js';
import { raiseForm, rolesInReach } from './organization-guard.js';
import { cursorQueryOf, isRefused, moreLink, namesOfRoles, roleBoxes } from './organization-parts.js';
import { type OrganizationVisit, organizationLink, organizationPath } from './organization-place.js';
import { makeOrganizationPage, submitToOrganization } from './organization-visit.js';

export const organizationInvitationsPage = makeOrganizationPage('invitations', showInvitations);

type Invitation = Awaited<ReturnType<typeof readInvitationPage>>['invitations'][number];

async function showInvitations(visit: OrganizationVisit): Promise<Markup> {
  const { app, words, own, caller } = visit;
  const { id } = own.organization;
  const { invitations, next_cursor } = await readInvitationPage(
    app,
    changerOfUser(caller, visit.client.requestId),
    id,
    cursorQueryOf(visit),
  );
  const list =
    invitations.length === 0
      ? html`<p>${words('invitations.none')}</p>`
      : html`<ul class="plain">${invitations.map((one) => showInvitation(visit, one))}</ul>`;
  const { roles, needsFactor } = await rolesInReach(visit, own.rolesToGive('members:manage'));
  return html`${own.may('members:manage') && invitationForm(visit, roles)}
${needsFactor && raiseForm(visit)}
${list}
${moreLink(visit, organizationLink(visit, id, 'invitations'), next_cursor)}`;
}

function invitationForm(visit: OrganizationVisit, offered: readonly string[]): Markup {
  const { words, error, form: sent } = visit;
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
  const boxes = roleBoxes(visit, offered, chosen, isAboutRoles);
  const content = html`${address}${boxes}${button(words('invitations.submit'), 'invite')}`;
  return form(visit, organizationPath(visit, 'invitations'), content);
}

function showInvitation(visit: OrganizationVisit, { id, email, roles, created_at, acceptable }: Invitation): Markup {
  const { words, language } = visit;
  return html`<li class="row">
<div><strong>${markName(visit, { email, phone: null })}</strong>
<div class="muted">${namesOfRoles(visit, roles)} · ${words('invitations.since')} ${ageOf(language, created_at)}</div>
${!acceptable && html`<div class="muted">${words('invitations.dead')}</div>`}</div>
${form(
  visit,
  organizationPath(visit, 'invitations'),
  html`${hidden('entry_id', id)}<div class="row">
${linkButton('resend', words('invitations.resend'), words('invitations.resend_named', { address: email }))}
${linkButton('revoke', words('invitations.revoke'), words('invitations.revoke_named', { address: email }))}</div>`,
)}
</li>`;
}

const linkButton = (action: string, text: string, label: string): Markup =>
  button(text, action, attributesOf({ class: 'link', 'aria-label': label }));

export interface InvitationsForm {
  readonly action?: string;
  readonly email?: string;
  readonly entry_id?: string;
}

/** @throws ApiError those of inviteMember(), resendInvitation() and withdrawInvitation() */
export const submitInvitations = (visit: Visit, sent: InvitationsForm): Promise<PageOutcome> =>
  submitToOrganization(visit, 'invitations', async ({ app, client, caller, request }, id) => {
    const { ip } = client;
    const changer = changerOfUser(caller, client.requestId);
    const { action, email, entry_id: invitationId = '' } = sent;
    const to = (done?: Done) => ({ to: organizationLink(visit, id, 'invitations', done) });
    switch (action) {
      case 'invite':
        await inviteMember(app, changer, id, { email: email?.trim(), roles: request.allValues('roles'), ip });
        return to('invited');
      case 'resend':
        await resendInvitation(app, changer, id, invitationId, { ip });
        return to('resent');
      case 'revoke':
        await withdrawInvitation(app, changer, id, invitationId);
        return to('withdrawn');
      default:
        return to();
    }
  });
